import { request } from 'undici';

/** What Prometheus would be given. @param opsToken the bridge's setting `ops.token` */
export async function readMetricsText(
  bridge: { readonly baseUrl: string },
  opsToken: string,
): Promise<string> {
  const headers = { authorization: `Bearer ${opsToken}` };
  const { body } = await request(new URL('/metrics', bridge.baseUrl), { headers });
  return body.text();
}

/** The value of every series of the bridge itself, by its name and labels as Prometheus reads them. */
export async function readMetrics(
  bridge: { readonly baseUrl: string },
  opsToken: string,
): Promise<Map<string, number>> {
  const text = await readMetricsText(bridge, opsToken);
  const lines = text.split('\n').filter((line) => line.startsWith('scim_bridge_'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice('scim_bridge_'.length, end), Number(line.slice(end + 1))];
    }),
  );
}
