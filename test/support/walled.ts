import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import type { TestBridge } from './bridge.ts';
import type { TestAnswer } from './provider.ts';
import { toProvider } from './provider.ts';

/** A provider of several. */
export type WalledProvider = Awaited<ReturnType<typeof makeProvider>>;

/** Makes a provider with these limits and a token of its own. @throws Error when it cannot be made */
export async function makeProvider(bridge: TestBridge, name: string, limits: JsonObject = {}) {
  await askToMake(bridge, '/providers', { name, ...limits });
  const { token } = await askToMake(bridge, '/tokens', { name: `${name}-token`, provider: name });
  const provider = toProvider((method, path, body, headers) =>
    bridge.request(method, path, body, { authorization: `Bearer ${token}`, ...headers }),
  );
  return { name, ...provider };
}

async function askToMake(bridge: TestBridge, path: string, body: JsonValue): Promise<JsonObject> {
  const answer = await bridge.ops('POST', path, body);
  if (answer.status === 201) return answer.body;
  throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`);
}

/** Words of a refusal that says whose it is. */
export function toOwner(answer: TestAnswer): string | undefined {
  return /belongs to the provider (\S+)\.$/.exec(String(answer.body.detail))?.[1];
}
