import { request } from 'undici';
import type { TestBridge } from './bridge.ts';

/** What Prometheus would be given.*/
export async function readMetricsText({
  baseUrl,
  opsToken,
}: Pick<TestBridge, 'baseUrl' | 'opsToken'>): Promise<string> {
  const headers = { authorization: `Bearer ${opsToken}` };
  return (await request(new URL('/metrics', baseUrl), { headers })).body.text();
}

/** The value of every series of the bridge itself, by its name and labels as Prometheus reads them. */
export async function readMetrics(
  bridge: Pick<TestBridge, 'baseUrl' | 'opsToken'>,
): Promise<Map<string, number>> {
  const text = await readMetricsText(bridge);
  const lines = text.split('\n').filter((line) => line.startsWith('scim_bridge_'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice('scim_bridge_'.length, end), Number(line.slice(end + 1))];
    }),
  );
}
