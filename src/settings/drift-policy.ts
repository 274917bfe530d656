import { z } from 'zod';
import { DRIFT_KINDS, isUnmanagedKind } from '../domain/drift.ts';
import { DRIFT_ACTIONS, type DriftPolicy } from '../domain/drift-policy.ts';
import { structured } from './kinds.ts';

const WORDS = DRIFT_ACTIONS.join(', ');

/** Action for drift: one word, or a map of kinds. */
export function driftPolicy() {
  const map = z
    .partialRecord(z.enum(['default', ...DRIFT_KINDS]), z.enum(DRIFT_ACTIONS))
    .superRefine((policy, context) => {
      for (const kind of DRIFT_KINDS.filter(isUnmanagedKind)) {
        const message = 'cannot be repaired: nobody asked for it, so it is never touched';
        if (policy[kind] === 'repair') context.addIssue({ code: 'custom', path: [kind], message });
      }
    })
    .transform(({ default: otherwise = 'report', ...kinds }): DriftPolicy => {
      return { default: otherwise, kinds };
    });
  const toMap = (given: unknown) => (typeof given === 'string' ? { default: given } : given);
  return structured(z.preprocess(toMap, map), {
    allowed: `${WORDS}; or a map of the kinds of drift and default to these; JSON in the variable`,
    show,
  });
}

/** A policy as it is written: one word, or a map. */
function show(policy: unknown): string {
  const { default: otherwise, kinds } = Object(policy);
  const isOneWord = Object.keys(Object(kinds)).length === 0;
  return isOneWord ? String(otherwise) : JSON.stringify({ default: otherwise, ...Object(kinds) });
}
