import type { Request, Response } from 'express';
import { createRarely, toSource } from '../access/attempts.ts';
import type { Session } from '../access/sessions.ts';
import { getRequestId } from '../telemetry/request-context.ts';

/** A sign-in or a sign-out as it is kept among the acts of operators. */
export interface SignInAct {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
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

/** Keeps sign-ins and sign-outs. */
export interface SignInActs {
  signedIn(req: Request, res: Response, session: Session): void;
  signedOut(req: Request, res: Response, session: Session): void;
  /** @param by the person, where the identity provider has named one who may not come in */
  refused(req: Request, res: Response, status: number, by?: { name: string; id: string }): void;
}

/** One failed sign-in of each address is kept in an hour, and ten of all: a stranger cannot push out what operators did. */
const FAILED_LIMITS = { eachMs: 3_600_000, allMax: 10 };

/** Creates the keeper of the sign-ins of one process. */
export function createSignInActs({
  acted,
  clock,
}: {
  readonly acted: (act: SignInAct) => void;
  readonly clock: { now(): number };
}): SignInActs {
  const rarely = createRarely(FAILED_LIMITS);

  function keep(req: Request, res: Response, session: Session, status: number): void {
    const { id, credential } = session;
    acted({
      ...toRequest(req, res),
      ...{ status, operator: credential.name, credential: credential.id, target: `session-${id}` },
      change: { after: { role: req.method === 'DELETE' ? null : credential.purpose } },
    });
  }

  return {
    signedIn: (req, res, session) => keep(req, res, session, 201),
    signedOut: (req, res, session) => keep(req, res, session, 200),
    refused(req, res, status, by = { name: 'nobody', id: '' }) {
      const attempts = rarely.take(toSource(req.ip ?? ''), clock.now());
      if (attempts === 0) return;
      acted({
        ...toRequest(req, res),
        ...{ status, operator: by.name, credential: by.id, target: undefined },
        change: { after: { attempts } },
      });
    },
  };
}

function toRequest(req: Request, res: Response) {
  return {
    requestId: getRequestId(res),
    method: req.method,
    route: `/console${req.route.path}`,
    remoteAddress: req.ip ?? '',
  };
}
