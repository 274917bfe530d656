import { expect, test } from 'vitest';
import type { Company } from './company.ts';
import { createScenarios } from './scenarios.ts';

const users = Array.from({ length: 200 }, (_, index) => ({
  id: `id-${index}`,
  userName: `user${index}@example.com`,
}));
const company: Company = {
  users,
  largeGroups: [
    { id: 'smaller', memberIds: ['a', 'b', 'c', 'd'] },
    { id: 'larger', memberIds: ['a', 'b', 'c', 'd', 'e', 'f'] },
  ],
};

test('reads visit everybody before they repeat anybody', () => {
  const get = source('get');
  const paths = new Set(users.map(() => get(0)?.path));
  expect(paths.size).toBe(users.length);
});

test('a deactivated person is reactivated by the next request of the same lane', () => {
  const active = source('active');
  const [first, other, second, third] = [active(0), active(1), active(0), active(0)];
  expect(second?.path).toBe(first?.path);
  expect([first?.body, second?.body].map(toValue)).toEqual([false, true]);
  expect(new Set([first?.path, other?.path, third?.path]).size).toBe(3);
});

test('lanes never touch the same member, and put back whom they took out', () => {
  const member = source('member');
  const changes = [0, 0, 0, 0].map((lane) => toOperation(member(lane)?.body));
  expect(changes).toEqual([
    { op: 'remove', path: 'members[value eq "a"]' },
    { op: 'add', path: 'members', value: [{ value: 'a' }] },
    { op: 'remove', path: 'members[value eq "c"]' },
    { op: 'add', path: 'members', value: [{ value: 'c' }] },
  ]);
});

test('nobody is posted twice, whichever lane asks', () => {
  const post = source('post');
  const bodies = new Set([0, 1, 0, 1].map((lane) => post(lane)?.body));
  expect(bodies.size).toBe(4);
});

function source(name: string) {
  const scenario = createScenarios(company, 2).find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return scenario.source;
}

function toOperation(body: string | undefined) {
  return JSON.parse(body ?? '').Operations[0];
}

function toValue(body: string | undefined) {
  return toOperation(body).value;
}
