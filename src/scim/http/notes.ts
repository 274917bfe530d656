import type { Response } from 'express';
import type { Profile } from '../../domain/credential.ts';
import type { KeptRequest } from '../../store/logs.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import type { Content } from '../dialect/parse-body.ts';
import type { ScimError } from '../errors.ts';
import type { RepairedParts, RequestRepairs } from '../repairs.ts';
import { UNCOUNTED } from '../repairs.ts';
import type { Trace } from '../trace.ts';

/** One operation of a bulk request, with the status of the single request that it stands for. */
export interface NotedOperation extends Pick<KeptRequest, 'method' | 'resource_type' | 'status'> {
  /** The bridge's id of the resource, an unknown one as it was sent; undefined: none is known. */
  readonly id: string | undefined;
  /** What its data says; undefined: it has none, or was refused before it was understood. */
  readonly content: Content | undefined;
  readonly refusal: ScimError | undefined;
  readonly repaired: readonly RepairedParts[];
}

interface Notes {
  readonly credential: string;
  readonly profile: Profile;
  /** Empty before `authenticate`. */
  readonly provider: string;
  /** Corrections of the request, in the profile of its credential; none before `authenticate`. */
  readonly repairs: RequestRepairs;
  /** The bridge's id of the resource that was created, or that the address names; an unknown one as it was sent. */
  readonly resourceId?: string;
  readonly refusal?: ScimError;
  /** What the body of a write says; absent: it has none, or was refused before it was understood. */
  readonly content?: Content;
  readonly operations?: readonly NotedOperation[];
  readonly hold?: ProviderDeps['hold'];
  /** Receives the texts of a request whose provider is traced. */
  readonly trace?: Trace | undefined;
}

/** Keeps facts about the request with its answer. */
export function note(res: Response, notes: Partial<Notes>): void {
  res.locals.scim = { ...getNotes(res), ...notes };
}

/** Facts that were kept until now. */
export function getNotes(res: Response): Notes {
  const { scim }: { readonly scim?: Notes } = res.locals;
  return scim ?? { credential: '', profile: 'lenient', provider: '', repairs: UNCOUNTED };
}

/** Parts for the request of one provider, which remember who asked: a copy, so that no other request ever sees them. */
export function toProviderDeps(deps: ScimDeps, res: Response): ProviderDeps {
  const { provider, hold } = getNotes(res);
  return { ...deps, provider, hold };
}
