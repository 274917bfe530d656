import type { Command } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import type { Settings } from '../settings/schema.ts';
import type { CliContext } from './context.ts';
import { findRunning } from './find-running.ts';
import { parseAnswer, toJson } from './json.ts';

/** Entries of one page. */
const PAGE = 1_000;

/** Runs a job on the store itself, with the answers that a bridge would give. */
export type WithOwnAccess = (
  settings: Settings,
  job: (client: OpsClient) => Promise<void>,
) => Promise<void>;

/** Runs a job with the running bridge, or on the store when none runs. */
export type AskAccess = (job: (client: OpsClient) => Promise<void>) => Promise<void>;

/** Creates an asker that looks for a running bridge at each job. */
export function createAccessAsker(
  context: Pick<CliContext, 'loadSettings' | 'connect'>,
  withOwnAccess: WithOwnAccess,
): AskAccess {
  return async (job) => {
    const running = await findRunning(context);
    const { settings } = context.loadSettings();
    await (running === undefined ? withOwnAccess(settings, job) : job(running));
  };
}

/** Description of a list that `list` prints. */
interface Listing<Item> {
  readonly path: '/tokens' | '/clients';
  readonly description: string;
  readonly toText: (item: Item) => string;
}

/** Adds the command `list`. */
export function addList<Item>(
  parent: Command,
  { write }: CliContext,
  ask: AskAccess,
  { path, description, toText }: Listing<Item>,
): void {
  parent
    .command('list')
    .description(description)
    .option('--all', 'those that are revoked as well')
    .option('--json', 'as one JSON list')
    .action(async ({ all, json }: { all?: true; json?: true }) => {
      await ask(async (client) => {
        const items = await listAccess<Item>(client, path, { isAll: all === true });
        write(json ? toJson(items) : items.map(toText).join(''));
      });
    });
}

/** Joins every page of a list, the newest entry first. */
async function listAccess<Item>(
  client: OpsClient,
  path: '/tokens' | '/clients',
  { isAll }: { isAll: boolean },
): Promise<Item[]> {
  const items: Item[] = [];
  const filter = isAll ? '' : '&state=live';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const answer = await client.send('GET', `${path}?limit=${PAGE}${filter}${from}`);
    const page: Page<Item> = parseAnswer<Page<Item>>(answer);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/** Expiry and last use, as text. */
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

/** Help of `--profile`. */
export const PROFILE_HELP =
  'lenient, or strict: requests are read to the letter, and nothing is repaired';

/** Words about the profile of a credential in a list; nothing about the usual one. */
export function toProfileText({ profile }: { readonly profile: string }): string {
  return profile === 'lenient' ? '' : `, ${profile}`;
}
