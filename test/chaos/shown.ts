import { z } from 'zod';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { Client } from './client.ts';
import { deliver } from './deliver.ts';

const Link = z.object({ value: z.string() });
const User = z.object({
  id: z.string(),
  userName: z.string(),
  name: z
    .object({ givenName: z.string().optional(), familyName: z.string().optional() })
    .optional(),
  title: z.string().optional(),
  active: z.boolean(),
  groups: z.array(z.object({ display: z.string() })).default([]),
  emails: z.array(z.object({ value: z.string() })).default([]),
  [USER_EXTENSION]: z.object({ temporarilyInactive: z.boolean().optional() }).default({}),
});
const Group = z.object({
  id: z.string(),
  displayName: z.string(),
  members: z.array(Link).default([]),
  [GROUP_EXTENSION]: z
    .object({
      addToCardsAndSpacesEnabled: z.boolean().optional(),
      admins: z.array(Link).default([]),
    })
    .default({ admins: [] }),
});

/** A person as SCIM shows one. */
export interface ShownUser {
  readonly userName: string;
  readonly fullName: string;
  readonly title: string | undefined;
  readonly active: boolean;
  readonly email: string | undefined;
  readonly isSuspended: boolean;
  /** Names of the groups that the user shows, in alphabetical order. */
  readonly groups: readonly string[];
}

/** A group as SCIM shows one; people by their userNames. */
export interface ShownGroup {
  readonly displayName: string;
  readonly isOffered: boolean;
  readonly members: ReadonlySet<string>;
  readonly admins: ReadonlySet<string>;
}

/** All that the store shows. */
export interface Shown {
  readonly users: readonly ShownUser[];
  readonly groups: readonly ShownGroup[];
}

/** Reads everything as a provider does that imports it. */
export async function readShown(client: Client): Promise<Shown> {
  const users = await readAll(client, '/Users', User);
  const groups = await readAll(client, '/Groups', Group);
  const names = new Map(users.map(({ id, userName }) => [id, userName]));
  const toNames = (links: readonly { value: string }[]) =>
    new Set(links.map(({ value }) => names.get(value) ?? `nobody (${value})`));
  return {
    users: users.map(toShownUser),
    groups: groups.map(({ displayName, members, [GROUP_EXTENSION]: extension }) => ({
      displayName,
      isOffered: extension.addToCardsAndSpacesEnabled === true,
      members: toNames(members),
      admins: toNames(extension.admins),
    })),
  };
}

function toShownUser(user: z.infer<typeof User>): ShownUser {
  const { userName, name, title, active, emails, groups, [USER_EXTENSION]: extension } = user;
  return {
    userName,
    fullName: [name?.givenName, name?.familyName].join(' ').trim(),
    title,
    active,
    email: emails[0]?.value,
    isSuspended: extension.temporarilyInactive === true,
    groups: groups.map(({ display }) => display).toSorted(),
  };
}

async function readAll<T>(client: Client, path: string, item: z.ZodType<T>): Promise<T[]> {
  const List = z.object({ totalResults: z.number(), Resources: z.array(item).default([]) });
  const sent = { method: 'GET', path: `${path}?count=1000` } as const;
  const { answer } = await deliver(client, sent, { wishes: [], isRepeated: true });
  const { totalResults, Resources } = List.parse(answer?.body);
  if (totalResults !== Resources.length) throw new Error(`${path}: ${totalResults} are not shown`);
  return Resources;
}
