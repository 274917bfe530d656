import type { Clock } from '../domain/clock.ts';
import { findSeatWait } from '../domain/failure.ts';
import { SEAT_FIELDS } from '../domain/seats.ts';
import type { UserField, UserState } from '../domain/user.ts';
import type { Store } from '../store/store.ts';
import { callNextForSeat, type FirstForSeat, findFirstForSeat } from '../store/users/seats.ts';
import { isNotLeading } from './lead.ts';
import type { Outcome, Problem } from './outcome.ts';

/** Outcome of a step of a user, as far as it concerns seats. */
type SeatOutcome = Outcome<
  { readonly missing?: true; readonly doneFields?: readonly UserField[] },
  UserField
>;

/** How long an addition rests that is not the first of the line: it is called when its turn has come, in milliseconds. */
export const SEAT_REST_MS = 24 * 3_600_000;

/** Line of the users for whom the service has no free seat. Nobody of it is tried before the first. */
export interface SeatLine {
  /** Finds the refusal that an addition to this user waits behind; undefined: nobody waits, or it is this user's turn. */
  findWait(id: UserState['id']): Promise<Problem | undefined>;
  /** Notes a step that was recorded: from then on somebody waits, or the turn of the first has come. */
  ended(outcome: SeatOutcome): Promise<void>;
  /** Calls `listen` when the turn of somebody has come. */
  onTurn(listen: () => void): void;
  /** Tries the first of the line from time to time, because others may have freed a seat. */
  start(): void;
  stop(): Promise<void>;
}

/** Dependencies of `createSeatLine`. */
export interface SeatLineDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly events: {
    failed(fields: { type: string; id: string; error: unknown }): void;
  };
  readonly policy: { readonly seatRetryMs: number };
}

/** Creates the line of one lead. It is kept in the store, so a restart finds it again. */
export function createSeatLine(deps: SeatLineDeps): SeatLine {
  const { store, clock, events, policy } = deps;
  const front = createFront(deps);
  let tell = () => {};
  let timer: NodeJS.Timeout | undefined;
  let calling = Promise.resolve();

  async function callNext(): Promise<void> {
    try {
      if ((await front.find()) === undefined) return;
      await store.write((tx) => callNextForSeat(tx, clock.now()));
      tell();
    } catch (error) {
      if (!isNotLeading(error)) events.failed({ type: 'seats', id: 'line', error });
    }
  }

  const callLater = () => {
    calling = callNext();
  };

  return {
    async findWait(id) {
      const first = await front.find();
      const wait = first && findSeatWait(first.cells);
      if (first === undefined || wait === undefined) return undefined;
      return first.id === id && wait.retryAt <= clock.now() ? undefined : wait.problem;
    },
    async ended(outcome) {
      if (outcome.kind === 'later' && outcome.noSeat !== undefined) front.cameIn();
      else if (mayFreeSeat(outcome)) await callNext();
    },
    onTurn(listen) {
      tell = listen;
    },
    start() {
      callLater();
      timer = setInterval(callLater, policy.seatRetryMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await calling;
    },
  };
}

/** Front of the line, for which the store is asked only while somebody may stand there. */
interface Front {
  /** Finds the first; undefined: nobody waits. @throws StoreError */
  find(): Promise<FirstForSeat | undefined>;
  /** Notes that somebody waits from now on. */
  cameIn(): void;
}

function createFront({ store }: Pick<SeatLineDeps, 'store'>): Front {
  let mayBeSomebody = true;
  let came = 0;
  return {
    async find() {
      if (!mayBeSomebody) return undefined;
      const before = came;
      const first = await findFirstForSeat(store.read);
      // Somebody may have come in while the store was asked.
      if (first === undefined && before === came) mayBeSomebody = false;
      return first;
    },
    cameIn() {
      came += 1;
      mayBeSomebody = true;
    },
  };
}

/** True for a step after which the next of the line may be tried: a seat is free, was given, or was not what was wanting. */
function mayFreeSeat(outcome: SeatOutcome): boolean {
  if (outcome.kind !== 'done') return outcome.kind === 'refused';
  const { missing, doneFields = [] } = outcome.known;
  return missing === true || SEAT_FIELDS.some((field) => doneFields.includes(field));
}
