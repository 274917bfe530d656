import type { TestContext } from 'vitest';
import { onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { makeFolder } from './lifetimes.ts';
import type { Operator } from './operator.ts';
import { toOperator } from './operator.ts';
import type { Provider } from './provider.ts';
import { toRequester } from './send-raw.ts';
import type { BridgeProcess } from './server.ts';
import { startBridge } from './server.ts';

/** What operators present to such processes. */
export const OPS_TOKEN = 'token-of-an-operator';
type Env = Readonly<Record<string, string>>;

/** A process of the bridge, with a provider and an operator of it. */
export type Life = BridgeProcess & Provider & Operator;

/** Settings of a bridge in front of this service, with no limit of the rate. */
export function toEnv({ url, token }: { readonly url: string; readonly token: string }) {
  return {
    UPSTREAM_URL: url,
    UPSTREAM_TOKEN: token,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    SCIM_TOKENS: 'token-of-a-provider',
    OPS_TOKEN,
  };
}

/** A service, and processes of the bridge on one store in front of it. All end with the test. */
export async function openSite({
  test = { onTestFinished },
  sandbox: options = {},
  env = {},
}: {
  readonly test?: Pick<TestContext, 'onTestFinished'>;
  readonly sandbox?: SandboxOptions;
  readonly env?: Env;
} = {}) {
  const folder = makeFolder(test);
  const sandbox = await startSandbox(options);
  test.onTestFinished(() => sandbox.stop());
  const settings = { ...toEnv(sandbox), ...env };
  const launch = async (more: Env = {}): Promise<Life> => {
    const bridge = await startBridge({ folder, env: { ...settings, ...more } });
    test.onTestFinished(() => bridge.kill());
    const provider = toRequester(bridge);
    const { request } = provider;
    const operator = toOperator({ request, baseUrl: bridge.baseUrl, opsToken: OPS_TOKEN });
    return { ...bridge, ...provider, ...operator };
  };
  const start = async (more: Env = {}) => {
    const life = await launch(more);
    await life.ready();
    return life;
  };
  return { sandbox, folder, settings, launch, start };
}

/** What `/readyz` says. */
export function readReady({ request, baseUrl }: Pick<Life, 'request' | 'baseUrl'>) {
  return request('GET', new URL('/readyz', baseUrl).href);
}
