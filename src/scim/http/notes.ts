import type { Response } from 'express';
import type { Profile } from '../../domain/credential.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { KeptRequest } from '../../domain/kept-request.ts';
import type { ScimType } from '../errors.ts';
import {
  createRequestRepairs,
  type DroppedParts,
  type RepairKind,
  type RequestRepairs,
} from '../repairs.ts';

/** One operation of a bulk request, for the log of requests. */
export interface NotedOperation {
  readonly method: KeptRequest['method'];
  /** null: the operation could not be understood. */
  readonly resourceType: 'user' | 'group' | null;
  /** Id of the resource, as it was sent or given out; undefined: none is known. */
  readonly id: string | undefined;
  readonly data: JsonValue | undefined;
  /** Status that the single request would have been answered with. */
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly dropped: readonly DroppedParts[];
}

/** Facts about a request that its handlers keep with the answer. */
interface Notes {
  /** Id of the credential: stable and never a secret (see `Credential`); empty before `authenticate`. */
  readonly credential: string;
  /** Way in which the request is read. */
  readonly profile: Profile;
  /** Corrections of the request. */
  readonly repairs?: RequestRepairs;
  /** Error keyword of the refusal. */
  readonly scimType?: ScimType | undefined;
  /** Outcome of the operations of a bulk request. */
  readonly operations?: readonly NotedOperation[];
}

/** Keeps facts about the request with its answer. */
export function note(res: Response, notes: Partial<Notes>): void {
  res.locals.scim = { ...getNotes(res), ...notes };
}

/** Facts that were kept until now. */
export function getNotes(res: Response): Notes {
  return parseNotes(res.locals.scim);
}

/** Corrections of the request, in the profile of its credential; the same ones each time. */
export function getRepairs(
  { telemetry }: { readonly telemetry: { repaired(kind: RepairKind): void } },
  res: Response,
): RequestRepairs {
  const { profile, repairs: held } = getNotes(res);
  const repairs = held ?? createRequestRepairs(telemetry, profile);
  if (held === undefined) note(res, { repairs });
  return repairs;
}

function parseNotes(value: unknown): Notes {
  return (value ?? { credential: '', profile: 'lenient' }) as Notes;
}
