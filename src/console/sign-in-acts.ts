import type { Response } from 'express';
import { createRarely, toSource } from '../access/attempts.ts';
import type { Session } from '../access/sessions.ts';
import type { Credential } from '../domain/credential.ts';
import type { OpenRecord } from '../store/recorder.ts';
import { getRequestContext } from '../telemetry/request-context.ts';

/** A sign-in or a sign-out as it is kept among the acts of operators. */
export interface SignInAct {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  /** undefined: there is no answer yet. */
  readonly status: number | undefined;
  /** The name of the credential, or of the person as the identity provider has it; `nobody` where that is unknown. */
  readonly operator: string;
  /** The id of the credential; empty: none was valid. */
  readonly credential: string;
  /** Id of the session; undefined: none was opened. */
  readonly target: string | undefined;
  readonly remoteAddress: string;
  readonly change: SignInChange;
}

/** The role of who came in, or the attempts since the last that was kept. */
export interface SignInChange {
  readonly after: { readonly role: string | null } | { readonly attempts: number };
}

/** Who signs in or out. */
type Who = Pick<Credential, 'id' | 'name' | 'purpose'>;

/** Keeps sign-ins and sign-outs. */
export interface SignInActs {
  /** Runs what opens or ends a session, which is kept with it; undefined: none was. */
  keep<T extends { readonly session: Pick<Session, 'id'> } | undefined>(
    res: Response,
    who: Who,
    work: () => Promise<T>,
  ): Promise<T>;
  /** @param by the person, where the identity provider has named one who may not come in */
  refused(res: Response, status: number, by?: Pick<Who, 'id' | 'name'>): void;
}

/** One failed sign-in of each address is kept in an hour, and ten of all: a stranger cannot push out what operators did. */
const FAILED_LIMITS = { eachMs: 3_600_000, allMax: 10 };

/** Creates the keeper of the sign-ins of one process. */
export function createSignInActs({
  openAct,
  clock,
}: {
  readonly openAct: (toAct: () => SignInAct) => OpenRecord<SignInAct>;
  readonly clock: { now(): number };
}): SignInActs {
  const rarely = createRarely(FAILED_LIMITS);

  return {
    async keep(res, { name: operator, id: credential, purpose }, work) {
      const isEnd = res.req.method === 'DELETE';
      const change = { after: { role: isEnd ? null : purpose } };
      const known = { ...toRequest(res), operator, credential, change };
      const record = openAct(() => ({ ...known, status: undefined, target: undefined }));
      const done = await record.run(work);
      const target = done && `session-${done.session.id}`;
      record.end(done ? [{ ...known, status: isEnd ? 200 : 201, target }] : []);
      return done;
    },
    refused(res, status, by = { name: 'nobody', id: '' }) {
      const request = toRequest(res);
      const attempts = rarely.take(toSource(request.remoteAddress), clock.now());
      if (attempts === 0) return;
      const { name: operator, id: credential } = by;
      const act = { ...request, status, operator, credential, target: undefined };
      const refused = { ...act, change: { after: { attempts } } };
      openAct(() => refused).end([refused]);
    },
  };
}

function toRequest(res: Response) {
  const { method, route } = res.req;
  const { requestId, remoteAddress } = getRequestContext(res);
  return { requestId, method, route: `/console${route.path}`, remoteAddress };
}
