import { render } from 'lit';
import { hostClient } from '../host-client.ts';
import { readSettings } from '../settings.ts';
import { TEXTS } from '../texts.ts';
import { LiveThreads } from './live-threads.ts';
import { forgetKey, signedInKey, signInAs } from './signed-in.ts';
import { signInTemplate } from './templates.ts';

const AGAIN_MS = 1000;

/** Finds out who is looking, and shows them their threads. */
async function start(earlier?: string): Promise<void> {
  const settings = await readSettings(document.baseURI).catch(() => undefined);
  const key = signedInKey() ?? settings?.users?.[0]?.api_key;
  if (!settings || key === undefined) {
    const problem = settings ? earlier : TEXTS.unreachable;
    render(signInTemplate(TEXTS, problem, settings ? signInAs : undefined), document.body);
    if (!settings) setTimeout(() => void start(), AGAIN_MS);
    return;
  }
  const host = hostClient(settings.thread_host_url ?? '', key);
  try {
    const page = new LiveThreads(host, await host.me(), settings);
    render([], document.body);
    await page.run();
  } catch (error) {
    const isRefused = error instanceof Error && error.name === 'HostError';
    const problem = isRefused ? TEXTS.keyRefused : TEXTS.unreachable;
    if (isRefused) forgetKey();
    render(signInTemplate(TEXTS, problem), document.body);
    setTimeout(() => void start(problem), AGAIN_MS);
  }
}

void start();
