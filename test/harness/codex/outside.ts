import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Everything that is asked of any other host than this one, in `asked`; nobody gets there. */
export async function watchOutside(): Promise<{ env: Record<string, string>; asked: string[]; stop: () => void }> {
  const asked: string[] = [];
  const proxy = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    response.writeHead(502).end();
  });
  proxy.on('connect', ({ url }, socket) => {
    asked.push(`CONNECT ${url}`);
    socket.destroy();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    env: { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: '127.0.0.1' },
    asked,
    stop: () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
