import { protocolContract } from "./contract.case.ts";
import { PROTOCOLS } from "./protocols.ts";

for (const protocol of Object.values(PROTOCOLS)) protocolContract(protocol);
