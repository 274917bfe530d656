import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { toPatch, toUser } from '../support/provider.ts';
import { change, create, type Stage, want } from './actor.ts';
import { Fact } from './fact.ts';

/** Somebody whom the provider creates and then changes now and then. */
export interface Person {
  readonly address: string;
  /** Undefined until the creation was acknowledged. */
  readonly id: string | undefined;
  /** Whoever may be deleted is put into no group. */
  readonly mayBeDeleted: boolean;
  /** False once nothing more is to be done: the person was deleted. */
  readonly isThere: boolean;
  /** Nobody who is not to work needs an account, so one that was never made is no loss. */
  readonly needsNoAccount: boolean;
  /** Creates the person, or changes something. */
  step(stage: Stage): Promise<void>;
  /** What the service holds and nobody asked for, or does not hold although it was acknowledged. */
  listFindings(sandbox: Sandbox): string[];
}

/** The n-th person of a run. */
export function createPerson(n: number): Person {
  const name = `person${n}`;
  const address = `${name}@example.com`;
  const exists = new Fact(false);
  const active = new Fact(true);
  const fullName = new Fact('');
  let id: string | undefined;
  let isThere = true;
  const names: string[] = [];
  let mayBeCalled: readonly string[] = [];
  let renamed = 0;

  function call(familyName: string): string {
    const whole = `Person${n} ${familyName}`;
    names.push(whole);
    return whole;
  }

  async function hire(stage: Stage): Promise<void> {
    id = await create(stage, {
      type: 'Users',
      body: toUser(name),
      filter: `userName eq "${address}"`,
      wanted: [want(exists, true), want(fullName, call('Example'))],
    });
  }

  async function rename(stage: Stage, path: string): Promise<void> {
    renamed += 1;
    const familyName = `Renamed${renamed}`;
    const value = { givenName: `Person${n}`, familyName };
    const whole = call(familyName);
    await change(stage, {
      method: 'PATCH',
      path,
      body: toPatch({ op: 'replace', path: 'name', value }),
      wanted: [want(fullName, whole)],
    });
  }

  async function setActive(stage: Stage, path: string, value: boolean): Promise<void> {
    const body = toPatch({ op: 'replace', path: 'active', value });
    await change(stage, { method: 'PATCH', path, body, wanted: [want(active, value)] });
  }

  async function dismiss(stage: Stage, path: string): Promise<void> {
    isThere = false;
    // Of somebody who goes nothing matters but access.
    mayBeCalled = names;
    await change(stage, { method: 'DELETE', path, expected: 404, wanted: [want(active, false)] });
  }

  return {
    address,
    get id() {
      return id;
    },
    mayBeDeleted: n % 5 === 0,
    get isThere() {
      return isThere;
    },
    get needsNoAccount() {
      return active.allows(false);
    },
    async step(stage) {
      if (id === undefined) return hire(stage);
      const path = `/Users/${id}`;
      const chance = stage.random.next();
      if (n % 5 === 0 && chance < 0.15) return dismiss(stage, path);
      if (chance < 0.5) return rename(stage, path);
      return setActive(stage, path, chance < 0.7);
    },
    listFindings({ service }) {
      const account = service.findUser(address);
      if (account === undefined) {
        const isFine = exists.allows(false) || active.allows(false);
        return isFine ? [] : [`${address} is missing`];
      }
      const isCalledSo = mayBeCalled.includes(account.fullName);
      return [
        ...(exists.allows(true) ? [] : [`${address} was never asked for`]),
        ...toFinding(`${address} is active`, active, account.active),
        ...(isCalledSo ? [] : toFinding(`${address} is called`, fullName, account.fullName)),
      ];
    },
  };
}

/** A finding unless the value is one that may be true. */
export function toFinding<T>(what: string, fact: Fact<T>, value: T): string[] {
  return fact.allows(value) ? [] : [`${what}: ${value}, not ${fact}`];
}
