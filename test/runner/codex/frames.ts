import type { RpcNotification, RpcRequest } from '../../../runner/codex/json-rpc.ts';
import frames from './frames.json' with { type: 'json' };

/** What the real Codex 0.171.0 and the adapter told each other, as test/harness/codex/record-frames.ts recorded it. */
export type Scene = keyof typeof frames;
type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown };

export function messagesOf(scene: Scene, from: 'codex' | 'us'): Message[] {
  return (frames[scene] as { from: string; message: Message }[])
    .filter((frame) => frame.from === from)
    .map(({ message }) => message);
}

/** What Codex told and asked, in its order; its replies to our calls are left out. */
export function toldBy(scene: Scene): (RpcRequest | RpcNotification)[] {
  return messagesOf(scene, 'codex').flatMap(({ id, method, params }) => {
    if (method === undefined) return [];
    return [id === undefined ? { method, params } : { id, method, params }];
  });
}

export function requestsOf(scene: Scene): (RpcRequest & { params: Record<string, unknown> })[] {
  return toldBy(scene).filter((told) => 'id' in told) as ReturnType<typeof requestsOf>;
}

export function requestOf(scene: Scene): ReturnType<typeof requestsOf>[number] {
  const [request] = requestsOf(scene);
  if (!request) throw new Error('not in the recording');
  return request;
}

/** The first request of the scene with other parameters. */
export function changed(scene: Scene, params: Record<string, unknown>): ReturnType<typeof requestOf> {
  const request = requestOf(scene);
  return { ...request, params: { ...request.params, ...params } };
}
