import type { Response } from 'express';
import { createRarely, toSource } from '../access/attempts.ts';
import { toSessionCookie } from '../access/session-cookie.ts';
import type { Session } from '../access/sessions.ts';
import type { Credential } from '../domain/credential.ts';
import type { JsonObject } from '../domain/values.ts';
import type { OpenRecord } from '../store/store.ts';
import { getRequestContext } from '../telemetry/request-context.ts';

/** Keeps sign-ins and sign-outs. */
export type SignInActs = ReturnType<typeof createSignInActs>;

/** One failed sign-in of each address is kept in an hour, and ten of all: a stranger cannot push out what operators did. */
const FAILED_LIMITS = { eachMs: 3_600_000, allMax: 10 };

/** Creates the keeper of the sign-ins of one process. */
export function createSignInActs({
  openAct,
  clock,
}: {
  readonly openAct: (toAct: () => SignInAct) => OpenRecord<SignInAct>;
  readonly clock: { now(): number };
}) {
  const rarely = createRarely(FAILED_LIMITS);
  /** Runs what opens or ends a session, which is kept with it; undefined: none was. */
  async function keep<T extends { readonly session: Pick<Session, 'id'> } | undefined>(
    res: Response,
    by: Pick<Credential, 'id' | 'name' | 'purpose'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const isEnd = res.req.method === 'DELETE';
    const act = toAct(res, by, { role: isEnd ? null : by.purpose });
    const record = openAct(() => ({ ...act, status: undefined, target: undefined }));
    const done = await record.run(work);
    const target = done && `session-${done.session.id}`;
    record.end(done ? [{ ...act, status: isEnd ? 200 : 201, target }] : []);
    return done;
  }
  return {
    keep,
    async open<T extends { readonly session: Session; readonly text: string } | undefined>(
      res: Response,
      by: Pick<Credential, 'id' | 'name' | 'purpose'>,
      { open, isSecure }: { readonly open: () => Promise<T>; readonly isSecure: boolean },
    ): Promise<T> {
      const opened = await keep(res, by, open);
      if (opened === undefined) return opened;
      const ms = opened.session.expiresAt - clock.now();
      res.append('Set-Cookie', toSessionCookie(opened.text, { ms, isSecure }));
      return opened;
    },
    /** @param by the person, where the identity provider has named one who may not come in */
    refused(res: Response, status: number, by: Pick<Credential, 'id' | 'name'> = NOBODY): void {
      const { remoteAddress } = getRequestContext(res);
      const attempts = rarely.take(toSource(remoteAddress), clock.now());
      if (attempts === 0) return;
      const act = { ...toAct(res, by, { attempts }), status, target: undefined };
      openAct(() => act).end([act]);
    },
  };
}

type SignInAct = ReturnType<typeof toAct> & {
  readonly status: number | undefined;
  readonly target: string | undefined;
};

const NOBODY = { name: 'nobody', id: '' } as const;

/** A sign-in or a sign-out without its end; `after` is the role of who came in, or the attempts since the last. */
function toAct(res: Response, by: Pick<Credential, 'id' | 'name'>, after: JsonObject) {
  const { method, route } = res.req;
  const { requestId, remoteAddress } = getRequestContext(res);
  const request = { requestId, method, route: `/console${route.path}`, remoteAddress };
  const act = method === 'DELETE' ? 'sign out' : 'sign in';
  const who = { operator: by.name, credential: by.id };
  return { ...request, ...who, act, change: { after } };
}
