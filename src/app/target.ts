import type { Settings } from '../settings/schema.ts';
import type { Target } from './options.ts';
import { openSandbox } from './sandbox.ts';

/** The service of the settings, or the embedded sandbox where none is named. */
export async function openTarget(
  settings: Settings,
): Promise<{ target: Target; close: () => Promise<void> }> {
  const { upstream, sandbox } = settings;
  if (upstream.url !== undefined) {
    const { url: baseUrl, token = '', requestsPerSecond } = upstream;
    const target = { baseUrl, token, identity: baseUrl, requestsPerSecond };
    return { target, close: async () => undefined };
  }
  const running = await openSandbox({ ...sandbox, host: '127.0.0.1' });
  const { url: baseUrl, token } = running;
  // The sandbox limits nothing, and its port changes, so it is known by a name.
  const target = { baseUrl, token, identity: 'embedded sandbox', requestsPerSecond: 0 };
  return { target, close: () => running.stop() };
}
