import {
  type CallClass,
  type ClassCounts,
  callClasses,
  keptClasses,
  PASSED_MAX,
} from './call-class.ts';

/** Waiting calls in their order: by class, then in turn between resources, first in first out for one resource. */
export interface WaitingRoom<W> {
  /** Adds a call; one with `again` has had its turn already and goes before its whole class. */
  add(place: Place<W>): void;
  /** Removes a call; true when it was still waiting. */
  remove(place: Place<W>): boolean;
  /** Takes the next one out, or undefined when none waits. */
  next(): W | undefined;
  /** Moves the calls with this key into the most urgent class, in the order of their arrival. */
  prioritise(key: unknown): void;
  /** Takes all of them out. */
  clear(): W[];
  readonly size: number;
  counts(): ClassCounts;
}

/** One waiting call. Calls without a key are each a resource of their own. */
export interface Place<W> {
  readonly callClass: CallClass;
  readonly key: unknown;
  readonly again: boolean;
  readonly waiter: W;
}

/** Creates an empty waiting room. */
export function createWaitingRoom<W>(): WaitingRoom<W> {
  const queues = {
    remove: createClassQueue<W>(),
    change: createClassQueue<W>(),
    look: createClassQueue<W>(),
    pass: createClassQueue<W>(),
  } satisfies Record<CallClass, ClassQueue<W>>;
  const passed = { look: 0, pass: 0 };

  function pickClass(): CallClass | undefined {
    const isWaiting = (callClass: CallClass) => queues[callClass].size > 0;
    const due = keptClasses.find((kept) => isWaiting(kept) && passed[kept] >= PASSED_MAX);
    return due ?? callClasses.find(isWaiting);
  }

  function next(): W | undefined {
    const callClass = pickClass();
    if (callClass === undefined) return undefined;
    for (const kept of keptClasses) {
      passed[kept] = callClass === kept || queues[kept].size === 0 ? 0 : passed[kept] + 1;
    }
    const waiter = queues[callClass].shift();
    if (waiter !== undefined) room.size -= 1;
    return waiter;
  }

  const room = {
    size: 0,
    add(place: Place<W>) {
      queues[place.callClass].push(place);
      room.size += 1;
    },
    remove(place: Place<W>) {
      // In the queue of its class, unless it was prioritised.
      const removed = callClasses.some((callClass) => queues[callClass].delete(place));
      if (removed) room.size -= 1;
      return removed;
    },
    next,
    prioritise(key: unknown) {
      for (const callClass of callClasses.slice(1)) {
        for (const place of queues[callClass].takeAll(key)) queues.remove.push(place);
      }
    },
    clear() {
      const everybody: W[] = [];
      for (let waiter = next(); waiter !== undefined; waiter = next()) everybody.push(waiter);
      return everybody;
    },
    counts: () => ({
      remove: queues.remove.size,
      change: queues.change.size,
      look: queues.look.size,
      pass: queues.pass.size,
    }),
  };
  return room;
}

interface ClassQueue<W> {
  readonly size: number;
  push(place: Place<W>): void;
  delete(place: Place<W>): boolean;
  /** Takes out the calls with this key, in the order of their arrival. */
  takeAll(key: unknown): Place<W>[];
  shift(): W | undefined;
}

/** The resources take turns: a Map keeps the order of insertion, and the served resource moves to its end. */
function createClassQueue<W>(): ClassQueue<W> {
  const again = new Set<Place<W>>();
  const byKey = new Map<unknown, Set<Place<W>>>();

  function shiftByKey(): Place<W> | undefined {
    for (const [key, places] of byKey) {
      const place = takeFirst(places);
      byKey.delete(key);
      if (places.size > 0) byKey.set(key, places);
      return place;
    }
    return undefined;
  }

  const queue = {
    size: 0,
    push(place: Place<W>) {
      queue.size += 1;
      const key = place.key ?? place;
      const places = place.again ? again : (byKey.get(key) ?? new Set());
      places.add(place);
      if (!place.again) byKey.set(key, places);
    },
    delete(place: Place<W>) {
      const key = place.key ?? place;
      const places = place.again ? again : byKey.get(key);
      if (!places?.delete(place)) return false;
      if (!place.again && places.size === 0) byKey.delete(key);
      queue.size -= 1;
      return true;
    },
    takeAll(key: unknown) {
      const repeated = [...again].filter((place) => place.key === key);
      return [...repeated, ...(byKey.get(key) ?? [])].filter(queue.delete);
    },
    shift() {
      const place = takeFirst(again) ?? shiftByKey();
      if (place) queue.size -= 1;
      return place?.waiter;
    },
  };
  return queue;
}

function takeFirst<T>(set: Set<T>): T | undefined {
  for (const first of set) {
    set.delete(first);
    return first;
  }
  return undefined;
}

/** Facts about a queue for a call that would join it. */
export interface QueueFacts {
  /** Class of the call that would join. */
  readonly callClass: CallClass;
  /** Calls that will go before it and do not wait yet. */
  readonly others: number;
  readonly waiting: ClassCounts;
  /** Calls that may leave at once. */
  readonly free: number;
  /** Milliseconds during which no call may leave. */
  readonly pauseMs: number;
  /** Milliseconds that one call takes of the rate. */
  readonly costMs: number;
}

/** Estimated wait of a call that joins the queue, in milliseconds. */
export function estimateQueueMs(facts: QueueFacts): number {
  const { callClass, others, waiting, free, pauseMs, costMs } = facts;
  const urgent = callClasses.slice(0, callClasses.indexOf(callClass) + 1);
  let ahead = others;
  for (const each of urgent) ahead += waiting[each];
  const missing = ahead + 1 - free;
  if (missing <= 0) return pauseMs;
  // Less urgent waiting classes get a tenth of the turns each all the same; and so does this one, when it is such a
  // class.
  const passing = keptClasses.filter((kept) => waiting[kept] > 0 && !urgent.includes(kept));
  const inTurn = missing / (1 - passing.length / SHARE);
  const ofShare = (waiting[callClass] + others + 1) * SHARE;
  const isKept = keptClasses.some((kept) => kept === callClass);
  const turns = isKept ? Math.min(inTurn, ofShare) : inTurn;
  return pauseMs + Math.ceil(turns * costMs);
}

const SHARE = PASSED_MAX + 1;
