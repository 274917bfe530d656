import type { Settings } from '../settings/schema.ts';
import type { CliContext } from './context.ts';
import { findRunning } from './find-running.ts';
import type { OpsClient } from './ops-client.ts';

/** Entries that are fetched at once. */
const PAGE = 1_000;

/** Runs a job with the store alone, as a bridge would answer. */
export type WithOwnAccess = (
  settings: Settings,
  job: (client: OpsClient) => Promise<void>,
) => Promise<void>;

/** Runs a job with the running bridge, or with the store where none runs. */
export type AskAccess = (job: (client: OpsClient) => Promise<void>) => Promise<void>;

/** Who is asked is found out when something is. */
export function createAccessAsker(
  { loadSettings }: Pick<CliContext, 'loadSettings'>,
  withOwnAccess: WithOwnAccess,
): AskAccess {
  return async (job) => {
    const { settings } = loadSettings();
    const running = await findRunning(settings);
    await (running === undefined ? withOwnAccess(settings, job) : job(running));
  };
}

/** Every page of a list as one, the newest first. */
export async function listAccess<Item>(
  client: OpsClient,
  path: '/tokens' | '/clients',
  { isAll }: { isAll: boolean },
): Promise<Item[]> {
  const items: Item[] = [];
  const filter = isAll ? '' : '&state=live';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const answer = await client.send('GET', `${path}?limit=${PAGE}${filter}${from}`);
    const page: Page<Item> = parsePage<Item>(answer);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/** How long something is valid, and when it was used. */
export function toLifeText(view: {
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}): string {
  const used = view.lastUsedAt === null ? 'never used' : `last used ${view.lastUsedAt}`;
  if (view.revokedAt !== null) return `revoked ${view.revokedAt}, ${used}`;
  return `${view.expiresAt === null ? 'never expires' : `expires ${view.expiresAt}`}, ${used}`;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** What the same version of the bridge answers. */
function parsePage<Item>(answer: unknown): Page<Item> {
  return answer as Page<Item>;
}
