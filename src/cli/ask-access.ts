import { type Command, Option } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import type { Settings } from '../settings/schema.ts';
import type { CliContext } from './context.ts';
import { findRunning } from './find-running.ts';
import { addListOptions, LIST_HELP, type Listing, type ListOptions, showList } from './listing.ts';
import { toMoment } from './lists.ts';

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

/** Credentials that `list` prints. */
type AccessListing<Item> = Pick<Listing<Item>, 'columns' | 'none'> & {
  readonly path: '/tokens' | '/clients';
  readonly description: string;
};

/** Adds the command `list`. */
export function addList<Item>(
  parent: Command,
  context: CliContext,
  ask: AskAccess,
  { description, ...listing }: AccessListing<Item>,
): void {
  const command = parent.command('list').description(description);
  command.option('--all', 'those that are revoked as well');
  addListOptions(command)
    .addHelpText('after', LIST_HELP)
    .action(({ all, ...options }: ListOptions & { all?: true }) => {
      const query = { state: all ? undefined : 'live' };
      return showList<Item>(command, context, { ...listing, query, options, ask });
    });
}

/** When a credential ends, or has ended. */
export function toState({ expiresAt, revokedAt }: Pick<Life, 'expiresAt' | 'revokedAt'>): string {
  if (revokedAt !== null) return `revoked ${toMoment(revokedAt)}`;
  return expiresAt === null ? 'never expires' : `expires ${toMoment(expiresAt)}`;
}

/** When a credential was presented last. */
export function toUse(lastUsedAt: string | null): string {
  return lastUsedAt === null ? 'never' : toMoment(lastUsedAt);
}

/** Expiry and last use, as text. */
export function toLifeText(life: Life): string {
  return `${toState(life)}, ${life.lastUsedAt === null ? 'never used' : `last used ${toUse(life.lastUsedAt)}`}`;
}

interface Life {
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** Creates the option `--profile`. */
export function profileOption(): Option {
  const help = 'lenient, or strict: requests are read to the letter, and nothing is repaired';
  return new Option('--profile <profile>', help).choices(['lenient', 'strict']).default('lenient');
}

/** Words about the profile of a credential in a list; nothing about the usual one. */
export function toProfileText({ profile }: { readonly profile: string }): string {
  return profile === 'lenient' ? '' : `, ${profile}`;
}
