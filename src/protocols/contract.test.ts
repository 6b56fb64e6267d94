import { protocolContract } from "./contract.case.ts";
import { PROTOCOLS } from "./protocols.ts";

const protocols = Object.values(PROTOCOLS);
for (const protocol of protocols) protocolContract(protocol, protocols);
