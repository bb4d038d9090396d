import { type StartedHost, startThreadHost } from '../../infra/local/thread-host/start.ts';
import { type HostClient, hostClient } from '../../surface/host-client.ts';

export const THREAD = { revision_id: 'rev', session_id: 'ses', alias: 'main' };

export type GivenHost = { host: StartedHost; as: (user: 'runner' | 'anna' | 'ben') => HostClient };

/** The stand-in host alone: the test is the agent, and nobody resolves but it. */
export async function givenHost(): Promise<GivenHost> {
  const account = (name: string) => ({ user_id: `usr_${name}`, api_key: `k_${name}` });
  const identity = {
    credentials: { accessKeyId: '', secretAccessKey: '' },
    webhookSecret: 'whsec_',
    runner: account('runner'),
    users: [account('anna'), account('ben')],
  };
  const host = await startThreadHost({ port: 0, identity, log: () => {} });
  return { host, as: (user) => hostClient(host.url, `k_${user}`) };
}

export function words(text: string, metadata?: Record<string, unknown>) {
  return { content: [{ type: 'text' as const, text }], ...(metadata && { metadata }) };
}
