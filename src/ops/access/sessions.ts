import type { Sessions } from '../../access/sessions.ts';
import type { SessionRow } from '../../store/credentials/sessions.ts';
import { toMoment } from '../http/moment.ts';
import { ok, problem, route } from '../http/route.ts';
import type { SessionView } from '../schemas/access.ts';

interface Needs {
  readonly access: { readonly sessions: Sessions };
}

/** Requests about sign-ins to the console. */
export const sessionRoutes = [
  route({
    method: 'get',
    path: '/sessions',
    newest: true,
    tag: 'Credentials',
    summary: 'Sign-ins to the console that are not over, the newest first.',
    answers: { 200: 'SessionList' },
    handle: async ({ access: { sessions } }: Needs, { query: { limit } }) =>
      ok({ items: (await sessions.list(limit)).map(toSessionView), nextCursor: null }),
  }),
  route({
    method: 'post',
    path: '/sessions/{id}/revoke',
    tag: 'Credentials',
    summary: 'Ends a sign-in to the console, everywhere at once.',
    answers: { 200: 'SessionEnded', 404: 'Problem' },
    async handle({ access: { sessions } }: Needs, { params: { id } }) {
      const isEnded = await sessions.end(id.replace(/^session-/, ''));
      return isEnded ? ok({ id }) : problem(404, 'not-found', 'No session has this id.');
    },
  }),
] as const;

function toSessionView(row: SessionRow): SessionView {
  return {
    id: `session-${row.id}`,
    name: row.credential_name,
    for: row.purpose,
    createdAt: toMoment(row.created_at),
    lastUsedAt: toMoment(row.last_used_at),
    expiresAt: toMoment(row.expires_at),
  };
}
