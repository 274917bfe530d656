import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import type { TestAnswer, TestBridge } from './bridge.ts';
import { askOps } from './sweep.ts';

/** Requests of one provider. */
export interface WalledProvider {
  readonly name: string;
  /** Sends a request with a token of the provider; `path` is below the SCIM base URL. */
  readonly request: TestBridge['request'];
}

/** Makes a provider with these limits and a token of its own. @throws Error when it cannot be made */
export async function makeProvider(
  bridge: TestBridge,
  name: string,
  limits: JsonObject = {},
): Promise<WalledProvider> {
  await askToMake(bridge, '/providers', { name, ...limits });
  const { token } = await askToMake(bridge, '/tokens', { name: `${name}-token`, provider: name });
  return {
    name,
    request: (method, path, body, headers) =>
      bridge.request(method, path, body, { authorization: `Bearer ${token}`, ...headers }),
  };
}

/** The default provider, whose token is one of the settings. */
export function toDefaultProvider({ request }: TestBridge): WalledProvider {
  return { name: 'default', request };
}

async function askToMake(bridge: TestBridge, path: string, body: JsonValue): Promise<JsonObject> {
  const answer = await askOps(bridge, 'POST', path, body);
  if (answer.status === 201) return answer.body;
  throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`);
}

/** Words of a refusal that says whose it is. */
export function toOwner(answer: TestAnswer): string | undefined {
  return /belongs to the provider (\S+)\.$/.exec(String(answer.body.detail))?.[1];
}
