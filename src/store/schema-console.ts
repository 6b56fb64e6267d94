/** What the web console needs: who signs in by what, where they are signed in, and keys that get a new string. */
export const consoleTables: readonly string[] = [
  // One for each account that has been in the console. Recovery codes are a JSON list of hashes.
  `create table profiles (
    account_id text primary key references accounts (id), name text not null, password_hash text,
    totp $bytes, totp_step $int, recovery_codes text not null, language text, theme text not null,
    low_balance $int, check (low_balance is null or low_balance >= 0))`,
  // The token is in the browser's cookie alone; its hash is here.
  `create table sessions (
    id text primary key, hash text not null unique, account_id text not null references accounts (id),
    signed_in_at_ms $int not null, proved_at_ms $int not null, seen_at_ms $int not null,
    expires_at_ms $int not null, address text not null, agent text not null)`,
  `create index sessions_of_account on sessions (account_id, id)`,
  // Whatever works once and for a while: set-up, invitation and reset links, second steps, passkey challenges.
  `create table tickets (
    id text primary key, hash text not null unique, kind text not null, account_id text, email text, role text,
    payload text not null, made_by text not null, created_at_ms $int not null, expires_at_ms $int not null,
    used_at_ms $int)`,
  `create index tickets_by_kind on tickets (kind, id)`,
  `create table passkeys (
    id text primary key, account_id text not null references accounts (id), credential_id text not null unique,
    name text not null, public_key $bytes not null, counter $int not null, transports text not null,
    created_at_ms $int not null, last_used_at_ms $int)`,
  `create index passkeys_of_account on passkeys (account_id, id)`,
  // Accounts of the house's own sign-in service.
  `create table oidc_identities (
    issuer text not null, subject text not null, account_id text not null references accounts (id),
    created_at_ms $int not null, primary key (issuer, subject))`,
  `create index oidc_identities_of_account on oidc_identities (account_id)`,
  // GCRA's arrival time of whoever tries to sign in: an address, an account.
  `create table throttles (owner text primary key, arrival_ns $int not null)`,
  // Every string that a key had before its present one, and until when it still works; none is ever given again.
  `create table replaced_strings (
    hash text primary key, key_id text not null references keys (id), replaced_at_ms $int not null,
    until_ms $int not null)`,
  `create index replaced_strings_of_key on replaced_strings (key_id)`,
];
