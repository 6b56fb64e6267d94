/** The sign of the house. */
export function GateMark({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      aria-hidden
      className={className}
    >
      <path d="M3 21V10a9 9 0 0 1 18 0v11" />
      <path d="M8.5 21v-8a3.5 3.5 0 0 1 7 0v8" />
      <path d="M2 21h20" />
      <circle cx="13.4" cy="16.6" r=".9" fill="currentColor" stroke="none" />
    </svg>
  );
}
