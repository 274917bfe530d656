import { toCount } from '../../domain/text.ts';

/** One thing that is not as it should be. `code` is stable; the texts hold neither secrets nor names. */
export interface Reason {
  readonly code: ReasonCode;
  readonly detail: string;
  readonly remedy: string;
}

/** The first four mean that requests cannot be served; with the others they can. */
export type ReasonCode =
  | 'store-unusable'
  | 'starting'
  | 'first-read'
  | 'draining'
  | 'store-read-only'
  | 'store-not-durable'
  | 'no-leader'
  | 'observe-mode'
  | 'writes-paused'
  | 'recovery'
  | 'credentials-refused'
  | 'service-down'
  | 'redirected'
  | 'paused'
  | 'section-closed'
  | 'stuck'
  | 'no-seat'
  | 'failing'
  | 'behind'
  | 'disputed'
  | 'audit-behind'
  | 'leavers-late'
  | 'left-out'
  | 'name-recycled'
  | 'plan-held'
  | 'provider-harm'
  | 'provider-silent'
  | 'no-credential'
  | 'credential-expires'
  | 'authentication-failing';

/** A number of people and groups, as the beginning of a sentence. */
export function toSubjects(count: number): string {
  return toCount(count, 'person or group is', 'people and groups are');
}
