import { BridgeError } from '../domain/errors.ts';
import type { SessionView } from '../ops/schemas/access.ts';
import { accessCommand, addList, addRevoke } from './ask-access.ts';
import { parseAnswer } from './json.ts';
import type { Page } from './listing.ts';
import { toMoment } from './lists.ts';
import { type Column, toDim } from './table.ts';

/** `session`: lists sign-ins to the console, and ends them. */
export const addSessionCommand = accessCommand(
  { name: 'session', about: 'sign-ins to the console' },
  (access) => {
    addList<SessionView>(access, {
      path: '/sessions',
      description: 'sign-ins that are not over, the newest first',
      none: 'Nobody is signed in to the console.',
      revoked: 'gone',
      columns,
    });
    addRevoke(access, {
      description: 'end a sign-in by its id, or all of one operator by the name',
      toQuestion: (key) => `End the sign-ins ${key}? Who has them has to sign in again.`,
      async end(client, key) {
        // As many as are kept.
        const page = await client.send('GET', '/sessions?limit=1000');
        const { items } = parseAnswer<Page<SessionView>>(page);
        const fitting = items.filter(({ id, name }) => id === key || name === key);
        if (fitting.length === 0)
          throw new BridgeError('not-found', `No sign-in has the id or the name ${key}.`);
        for (const { id } of fitting)
          await client.send('POST', `/sessions/${encodeURIComponent(id)}/revoke`);
        return { items: fitting };
      },
      toText: ({ items }) =>
        items.map(({ id, name }) => `${name} (${id}) is signed out.\n`).join(''),
    });
  },
);

const columns: readonly Column<SessionView>[] = [
  { head: 'id', rank: 'whole', cell: ({ id }) => toDim(id) },
  { head: 'who', cell: ({ name }) => name },
  { head: 'role', rank: 'minor', cell: ({ for: role }) => role },
  { head: 'since', rank: 'minor', cell: ({ createdAt }) => toMoment(createdAt) },
  { head: 'last used', rank: 'minor', cell: ({ lastUsedAt }) => toMoment(lastUsedAt) },
  { head: 'ends', cell: ({ expiresAt }) => toMoment(expiresAt) },
];
