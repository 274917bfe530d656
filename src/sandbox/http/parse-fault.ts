import type { Fault, FaultRule } from '../faults.ts';
import { isOperationName } from '../operations.ts';
import { Refusal } from '../refusal.ts';
import { isObject } from './exchange.ts';
import { parseCount, parseText } from './parse-values.ts';

const bodies = ['documented', 'empty', 'message', 'html'] as const;
const cuts = ['before-effect', 'after-effect', 'mid-answer'] as const;
const effects = ['none', 'done'] as const;

/** Parses a fault rule. @throws Refusal 400 naming the wrong field. */
export function parseFaultRule(body: unknown): FaultRule {
  if (!isObject(body)) throw new Refusal('bad-request', 'a fault rule should be an object');
  const { operation, fault, about, skip, times } = body;
  if (operation !== '*' && !(typeof operation === 'string' && isOperationName(operation))) {
    throw new Refusal('bad-request', `no operation '${String(operation)}'`);
  }
  return {
    operation,
    fault: parseFault(fault),
    about: about === undefined ? undefined : parseText(about, 'about'),
    skip: skip === undefined ? undefined : parseCount(skip, 'skip'),
    times: times === undefined ? undefined : parseCount(times, 'times'),
  };
}

function parseFault(fault: unknown): Fault {
  if (!isObject(fault)) throw new Refusal('bad-request', 'fault should be an object');
  const { kind } = fault;
  switch (kind) {
    case 'delay':
      return { kind, delayMs: parseCount(fault.delayMs, 'delayMs') };
    case 'status':
      return {
        kind,
        status: parseStatus(fault.status),
        body: parseOneOf(bodies, fault.body ?? 'documented', 'body'),
        headers: parseHeaders(fault.headers ?? {}),
        effect: parseOneOf(effects, fault.effect ?? 'none', 'effect'),
      };
    case 'hang':
      return { kind, effect: parseOneOf(effects, fault.effect ?? 'none', 'effect') };
    case 'reset':
      return { kind, at: parseOneOf(cuts, fault.at, 'at') };
    case 'html':
    case 'truncated':
      return { kind };
    case 'altered':
      return { kind, body: parseAltered(fault.body) };
    default:
      throw new Refusal('bad-request', `no fault of kind '${String(kind)}'`);
  }
}

function parseAltered(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body;
  throw new Refusal('bad-request', 'body should be an object');
}

function parseStatus(value: unknown): number {
  const status = parseCount(value, 'status');
  if (status < 200 || status > 599) throw new Refusal('bad-request', 'status should be 200 to 599');
  return status;
}

function parseOneOf<Value extends string>(
  allowed: readonly Value[],
  value: unknown,
  name: string,
): Value {
  const known = allowed.find((candidate) => candidate === value);
  if (known === undefined) {
    throw new Refusal('bad-request', `${name} should be one of ${allowed.join(', ')}`);
  }
  return known;
}

function parseHeaders(value: unknown): Record<string, string> {
  if (!isObject(value)) throw new Refusal('bad-request', 'headers should be an object');
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}
