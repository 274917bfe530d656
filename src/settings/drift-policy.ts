import { z } from 'zod';
import { DRIFT_KINDS, type DriftKind, isUnmanagedKind } from '../domain/drift.ts';
import { DRIFT_ACTIONS, type DriftAction, type DriftPolicy } from '../domain/drift-policy.ts';
import { kindFacts } from './kinds.ts';
import { findNearest } from './nearest.ts';
import { findAt, isTree } from './tree.ts';

const WORDS = DRIFT_ACTIONS.join(', ');
const KEYS: readonly string[] = ['default', ...DRIFT_KINDS];

/** Action for drift: one word, or a map of kinds (JSON text in the environment). */
export function driftPolicy() {
  return z
    .union([z.string().transform(parseText), z.record(z.string(), z.unknown())])
    .transform((value, context): DriftPolicy => {
      const problems = typeof value === 'string' ? findBadWord(value) : findProblems(value);
      for (const message of problems) context.addIssue({ code: 'custom', message, params: {} });
      return problems.length > 0 ? z.NEVER : parsePolicy(value);
    })
    .register(kindFacts, {
      allowed: `${WORDS}; or a map of the kinds of drift and default to these; JSON in the variable`,
      show,
    });
}

/** A policy as it is written: one word, or a map. */
function show(policy: unknown): string {
  const [otherwise, kinds] = [findAt(policy, ['default']), findAt(policy, ['kinds'])];
  const isOneWord = !isTree(kinds) || Object.keys(kinds).length === 0;
  return isOneWord ? String(otherwise) : JSON.stringify({ default: otherwise, ...kinds });
}

/** A word, or the JSON text of a map. */
function parseText(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Refused as no map; the message says what is allowed.
  }
}

function isAction(value: unknown): value is DriftAction {
  return DRIFT_ACTIONS.some((action) => action === value);
}

function findBadWord(value: string): string[] {
  return isAction(value) ? [] : [`${JSON.stringify(value.slice(0, 100))} is none of ${WORDS}`];
}

function findProblems(value: unknown): string[] {
  if (!isTree(value)) return ['it is neither a word nor a map'];
  return Object.entries(value).flatMap(([key, action]) => {
    if (!KEYS.includes(key)) {
      const nearest = findNearest(key, KEYS);
      return [
        `${key} is no kind of drift${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
      ];
    }
    if (!isAction(action)) return [`${key} is none of ${WORDS}`];
    const isTouched = action === 'repair' && key !== 'default' && isUnmanaged(key);
    return isTouched
      ? [`${key} cannot be repaired: nobody asked for it, so it is never touched`]
      : [];
  });
}

function isUnmanaged(key: string): boolean {
  return DRIFT_KINDS.some((kind) => kind === key && isUnmanagedKind(kind));
}

/** Parses a value without problems. */
function parsePolicy(value: unknown): DriftPolicy {
  if (isAction(value)) return { default: value, kinds: {} };
  const { default: otherwise = 'report', ...kinds } = value as {
    default?: DriftAction;
  } & Partial<Record<DriftKind, DriftAction>>;
  return { default: otherwise, kinds };
}
