import type { SessionPlace, SessionRow } from '../../store/credentials/sessions.ts';
import { wrongCursor } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { ok, problem, route } from '../http/route.ts';
import { SESSIONS } from '../lists/access.ts';
import type { SessionView } from '../schemas/access.ts';
import type { AccessNeeds } from './credential.ts';

/** Requests about sign-ins to the console. */
export const sessionRoutes = [
  route({
    ...SESSIONS,
    async handle({ access: { sessions } }: AccessNeeds, { query: { limit, cursor } }) {
      const after = cursor === undefined ? undefined : parsePlace(cursor);
      const rows = await sessions.list({ after, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const nextCursor = last === undefined ? null : `${last.created_at}-${last.id}`;
      return ok({ items: shown.map(toSessionView), nextCursor });
    },
  }),
  route({
    method: 'post',
    path: '/sessions/{id}/revoke',
    tag: 'Credentials',
    summary: 'Ends a sign-in to the console, everywhere at once.',
    answers: { 200: 'SessionEnded', 404: 'Problem' },
    async handle({ access: { sessions } }: AccessNeeds, { params: { id } }) {
      const isEnded = await sessions.end(id.replace(/^session-/, ''));
      return isEnded ? ok({ id }) : problem(404, 'not-found', 'No session has this id.');
    },
  }),
] as const;

/** @throws InvalidRequest */
function parsePlace(cursor: string): SessionPlace {
  const [, at, id] = /^(\d{1,15})-(.{1,100})$/.exec(cursor) ?? [];
  if (id === undefined) throw wrongCursor();
  return { created_at: Number(at), id };
}

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
