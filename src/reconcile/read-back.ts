import { UpstreamError, unreadable } from '../upstream/errors.ts';
import { scim } from '../upstream/operations/scim.ts';
import { parseScimUser, type ScimUser } from '../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from './deps.ts';

/**
 * Returns the answer of a call that changes something or, where it does not tell enough, the result of one look.
 * @throws UpstreamError of the call; where the look alone fails, one that says that the effect is unknown.
 */
export async function readBack<Answer>(
  answer: Answer | undefined,
  look: () => Promise<Answer>,
): Promise<Answer> {
  if (answer !== undefined) return answer;
  try {
    return await look();
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause;
    const words = 'the answer does not tell, and the look after it failed';
    throw unreadable(cause.operation, words, { cause });
  }
}

/** Makes sure that an answer is about what was asked for: a mixing cache may give another one. @throws UpstreamError `unreadable` */
export function assertAbout(what: string, id: string | number, asked: string | number): void {
  if (id !== asked) throw unreadable(what, 'the answer is about another one');
}

/** Reads an account. @throws UpstreamError */
export async function readUser(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  context: CallContext,
  upstreamId: number,
): Promise<ScimUser> {
  const answer = await upstream.call(scim.getUser, { path: { user_id: upstreamId } }, context);
  return parseUserOf(upstreamId, answer);
}

/** Reads an answer about one account. @throws UpstreamError `unreadable`, also where it is about another one */
export function parseUserOf(upstreamId: number, answer: unknown): ScimUser {
  const user = parseScimUser(answer);
  assertAbout('SCIM user', user.id, upstreamId);
  return user;
}
