import type { Command } from 'commander';
import type { GroupItem, UserItem } from '../ops/schemas/resources.ts';
import type { AddCommand } from './context.ts';
import { listCommand } from './listing.ts';
import { toProblemText } from './lists.ts';
import { type Column, toDim } from './table.ts';

/** Filters that are on or off. */
const FLAGS = {
  managed: 'that the bridge may write',
  unmanaged: 'that the bridge only observes',
  due: 'of which something is to be done',
  stuck: 'of which the service refuses something',
  disputed: 'with a name that only an operator can place',
  drifted: 'that differ in the service',
  deleted: 'that were deleted',
} as const;

/** Filters of people and groups. */
type ResourceFilters = { readonly search?: string } & {
  readonly [Flag in keyof typeof FLAGS]?: true;
};

function addResourceOptions(command: Command): Command {
  command.option('--search <text>', 'whose name holds this text');
  for (const [flag, meaning] of Object.entries(FLAGS)) command.option(`--${flag}`, meaning);
  return command;
}

function toResourceQuery(filters: ResourceFilters): Readonly<Record<string, string | undefined>> {
  const { managed, unmanaged, search, due, stuck, disputed, drifted, deleted } = filters;
  const flags = Object.entries({ due, stuck, disputed, drifted, deleted });
  return {
    q: search,
    managed: managed ? 'true' : unmanaged && 'false',
    ...Object.fromEntries(flags.map(([name, isSet]) => [name, isSet && 'true'])),
  };
}

/** `users`: lists people. */
export const addUsersCommand: AddCommand = listCommand<UserItem, ResourceFilters>({
  name: 'users',
  description: 'list people: what is wanted, what is seen, what waits',
  addOptions: addResourceOptions,
  toListing: (filters) => ({
    path: '/users',
    query: toResourceQuery(filters),
    none: 'There is nobody like that.',
    columns: [
      ...toResourceColumns<UserItem>(),
      { head: 'account', rank: 'minor', cell: ({ upstreamId }) => `${upstreamId ?? ''}` },
      {
        head: 'active',
        cell: ({ active }) => toActive(active),
      },
      ...toWorkColumns<UserItem>(),
    ],
  }),
});

/** `groups`: lists groups. */
export const addGroupsCommand: AddCommand = listCommand<GroupItem, ResourceFilters>({
  name: 'groups',
  description: 'list groups: what is managed, what is seen, what waits',
  addOptions: addResourceOptions,
  toListing: (filters) => ({
    path: '/groups',
    query: toResourceQuery(filters),
    none: 'There is no group like that.',
    columns: [
      ...toResourceColumns<GroupItem>(),
      { head: 'scim id', rank: 'minor', cell: ({ upstreamIds }) => upstreamIds.scimId ?? '' },
      { head: 'rest id', rank: 'minor', cell: ({ upstreamIds }) => `${upstreamIds.restId ?? ''}` },
      ...toWorkColumns<GroupItem>(),
    ],
  }),
});

function toResourceColumns<Item extends UserItem | GroupItem>(): Column<Item>[] {
  return [
    { head: 'id', rank: 'minor', cell: ({ id }) => toDim(id) },
    { head: 'name', cell: ({ name }) => name },
    {
      head: 'managed',
      cell: ({ origin, deleted }) => (deleted ? 'deleted' : (origin ?? 'observed')),
    },
  ];
}

function toWorkColumns<Item extends UserItem | GroupItem>(): Column<Item>[] {
  return [
    { head: 'waits', cell: ({ pending }) => ({ text: pending.join(', '), colour: 'yellow' }) },
    { head: 'drifts', cell: ({ drifts }) => (drifts === 0 ? '' : `${drifts}`) },
    {
      head: 'problem',
      cell: ({ problem, dueAt }) => ({ text: toProblemText(problem, dueAt), colour: 'red' }),
    },
  ];
}

/** Says whether somebody is active, and what the service was seen to hold where that is something else. */
function toActive({ desired, observed }: UserItem['active']): string {
  const [wanted, seen] = [desired, observed].map((is) => (is ? 'yes' : 'no'));
  if (desired === null) return observed === null ? '?' : `${seen}`;
  if (observed === desired) return `${wanted}`;
  return `${wanted}, seen ${observed === null ? 'not yet' : seen}`;
}
