import type { WaitingWork, WritesFacts } from './readiness-facts.ts';

/** Whether the service is changed, for an operator. Moments are ISO 8601. */
export interface WritesView {
  readonly mode: 'live' | 'observe';
  /** The pause that holds, with the reason that was given. */
  readonly paused: { readonly since: string; readonly reason: string | null } | null;
  /** People and groups with changes that are accepted and not in the service yet. */
  readonly waiting: number;
}

/** What is known of it, as an operator is shown it. */
export function toWritesView({ mode, pause }: WritesFacts, { changes }: WaitingWork): WritesView {
  const paused =
    pause === undefined
      ? null
      : { since: new Date(pause.since).toISOString(), reason: pause.reason };
  return { mode, paused, waiting: changes };
}
