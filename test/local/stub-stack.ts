import { deployLocally } from '../../infra/local/deploy.ts';

/** A process of its own for tests that kill it: `node stub-stack.ts <assembly> <data folder>` prints its addresses. */
const [assembly = '', dataDir = ''] = process.argv.slice(2);
const { addresses } = await deployLocally({ assembly, dataDir, port: 0, scheduleEveryMs: 60_000, log: () => {} });
console.log(JSON.stringify(addresses));
