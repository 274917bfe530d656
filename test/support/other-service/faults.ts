import type { ServerResponse } from 'node:http';
import type { Counterpart, CounterpartFault, FaultScope, SetFault } from '../counterpart.ts';
import type { Answer } from './route.ts';

/** The faults that were set, and the calls that hang. */
export interface OtherFaults {
  readonly control: Counterpart['faults'];
  /** The fault that a call meets, which counts. */
  meet(operation: string): CounterpartFault | undefined;
  /** Leaves a call without an answer until hanging calls are let go. */
  hang(response: ServerResponse): void;
}

interface Entry {
  readonly scope: FaultScope;
  asked: number;
  met: number;
  readonly waiting: Set<() => void>;
}

/** No fault at first. */
export function createFaults(): OtherFaults {
  const entries = new Set<Entry>();
  const hanging = new Set<ServerResponse>();
  return {
    control: {
      add: (scope) => add(entries, scope),
      clear() {
        entries.clear();
        for (const response of hanging) response.destroy();
        hanging.clear();
      },
    },
    meet(operation) {
      for (const entry of entries) {
        const { scope } = entry;
        if (scope.operation !== '*' && scope.operation !== operation) continue;
        entry.asked += 1;
        if (entry.asked <= (scope.skip ?? 0) || entry.met >= (scope.times ?? Infinity)) continue;
        entry.met += 1;
        for (const wake of [...entry.waiting]) wake();
        return scope.fault;
      }
      return undefined;
    },
    hang(response) {
      hanging.add(response);
      response.once('close', () => hanging.delete(response));
    },
  };
}

function add(entries: Set<Entry>, scope: FaultScope): SetFault {
  const entry: Entry = { scope, asked: 0, met: 0, waiting: new Set() };
  entries.add(entry);
  return {
    get met() {
      return entry.met;
    },
    until(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = () => {
        if (entry.met < count) return;
        entry.waiting.delete(wake);
        resolve();
      };
      entry.waiting.add(wake);
      wake();
      return promise;
    },
    remove: () => entries.delete(entry),
  };
}

/** Says whether the service does what was asked for although the answer goes wrong. */
export function isDone(fault: CounterpartFault): boolean {
  switch (fault.kind) {
    case 'status':
    case 'hang':
      return fault.effect === 'done';
    case 'reset':
      return fault.at !== 'before-effect';
    case 'html':
      return false;
    case 'truncated':
      return true;
  }
}

/** Answers in the way of the fault. */
export function spoil(
  faults: OtherFaults,
  response: ServerResponse,
  { fault, answer }: { fault: CounterpartFault; answer: Answer },
): number {
  const text = JSON.stringify(answer.body ?? {});
  const json = { 'content-type': 'application/json' };
  switch (fault.kind) {
    case 'status': {
      const isEmpty = fault.body === 'empty' || fault.status < 500;
      response.writeHead(fault.status, { ...fault.headers, 'content-type': 'text/html' });
      response.end(isEmpty ? '' : '<html><body><h1>Bad Gateway</h1></body></html>');
      return fault.status;
    }
    case 'hang':
      faults.hang(response);
      return 0;
    case 'reset':
      if (fault.at === 'mid-answer') {
        response.writeHead(200, { ...json, 'content-length': text.length + 1 }).write(text);
        setImmediate(() => response.destroy());
      } else {
        response.destroy();
      }
      return 0;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Sign in</title>');
      return 200;
    case 'truncated':
      response.writeHead(200, json).end(text.slice(0, Math.ceil(text.length / 2)));
      return 200;
  }
}
