import { Client } from 'undici';
import type { BenchSandbox } from './sandbox.ts';
import type { SweepSize } from './sweep-company.ts';

const pageSize = 100;

/**
 * The yardstick of a sweep: asks for the same pages of the same four lists, one after another, reads them as JSON
 * and forgets them. Milliseconds of this process's processor time.
 */
export async function readListsAlone(sandbox: BenchSandbox, size: SweepSize): Promise<number> {
  const { origin } = new URL(sandbox.url);
  const client = new Client(origin);
  const before = process.cpuUsage();
  for (const path of listPages(size)) {
    const headers = { authorization: `Bearer ${sandbox.token}` };
    const { statusCode, body } = await client.request({ method: 'GET', path, headers });
    if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode}`);
    await body.json();
  }
  const { user, system } = process.cpuUsage(before);
  await client.close();
  return (user + system) / 1_000;
}

function* listPages({ users, groups }: SweepSize): Generator<string> {
  for (let offset = 0; offset <= users; offset += pageSize) {
    yield `/scim/v2/Users?startIndex=${offset + 1}&count=${pageSize}`;
    yield `/api/latest/company/users?offset=${offset}&limit=${pageSize}`;
  }
  for (let offset = 0; offset <= groups; offset += pageSize) {
    yield `/scim/v2/Groups?startIndex=${offset + 1}&count=${pageSize}`;
    yield `/api/latest/company/groups?with_users_count=true&offset=${offset}&limit=${pageSize}`;
  }
}
