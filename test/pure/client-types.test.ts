import { describe, expect, test } from 'vitest';
import { inferType } from '../../scripts/client/infer-type.ts';
import { toTypesModule } from '../../scripts/client/to-module.ts';
import { operationGroups } from '../../src/upstream/operations/all.ts';
import type {
  EntryShape,
  Operation,
  OperationGroup,
} from '../../src/upstream/operations/operation.ts';

const groups: Readonly<Record<string, OperationGroup>> = operationGroups;
const text = toTypesModule(groups);
const operations: Operation[] = Object.values(groups).flatMap((group) => Object.values(group));

test('every operation is documented with its use, its method and its path', () => {
  const comments = [
    ...text.matchAll(/ {2}\/\*\*\n((?: {3}\*.*\n)+) {3}\*\/\n {2}readonly (\w+): /g),
  ];
  const shown = comments.map(([, lines = '', name]) => ({
    name,
    comment: lines.replace(/\s+\*?\s*/g, ' '),
  }));

  expect(shown).toHaveLength(operations.length);
  for (const { id, about, method, path, stage } of operations) {
    const ofName = shown.filter(({ name }) => id.endsWith(`.${name}`));
    const own = ofName.filter(({ comment }) => comment.includes(`\`${method} ${path}\``));
    expect(own, id).toHaveLength(1);
    expect(own[0]?.comment).toContain(about);
    expect(own[0]?.comment.includes('@deprecated'), id).toBe(stage === 'deprecated');
  }
});

describe('the type of a field of an answer is inferred', () => {
  const infer = (id: string, field: string) => {
    const [group = '', name = ''] = id.split('.');
    const rows = groups[group] ?? {};
    const operation = rows[name];
    if (operation === undefined) throw new Error(`no operation ${id}`);
    const { fields } = operation.response;
    return inferType(field, { operation, group: rows, operations, fields });
  };

  test.each([
    ['an own id', 'spaces.createNewSpace', 'id', 'number'],
    ['an own id by another name', 'automations.createAutomation', 'id', 'string'],
    ['an unproven id', 'treeEntityRoles.getListOfTreeEntityRoles', 'id', 'number | string'],
    ['an id in the path', 'cardChecklists.addChecklistToCard', 'card_id', 'number'],
    ['an id that it does not need', 'cards.createNewCard', 'owner_id', 'number | null'],
    ['an id without evidence', 'spaces.createNewSpace', 'company_id', 'number | string | null'],
    ['a uid', 'spaces.createNewSpace', 'uid', 'string'],
    ['a time', 'spaces.createNewSpace', 'created', 'string'],
    ['a time that may be missing', 'cards.createNewCard', 'completed_at', 'string | null'],
    ['a number or text of the bodies', 'spaces.updateSpace', 'title', 'number | string | null'],
    ['a list of the bodies', 'spaces.updateSpace', 'settings', undefined],
    ['nothing', 'spaces.createNewSpace', 'entity_type', undefined],
  ])('%s', (_why, id, field, type) => {
    expect(infer(id, field)).toBe(type);
  });
});

const declarations = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
  ([, name]) => name,
);

test('what several operations answer is declared once, and an operation that says more extends it', () => {
  expect(declarations).toHaveLength(new Set(declarations).size);
  expect(text).toMatch(/readonly createGroup: Call<args.GroupsCreateGroupArguments, Group>;/);
  expect(text).toMatch(/readonly getListOfGroups: ListCall<[\w.]+, Group\[\]>;/);
  expect(text).toMatch(/readonly removeGroup: Call<[\w.]+, Group \| undefined>;/);
  expect(text).toContain('export interface GroupUser extends User {');
  expect(text).toMatch(
    /interface IterationsDeleteIterationAnswer extends Iteration \{\n {2}moved_cards/,
  );
});

test('a name of a shape stands for one list of fields', () => {
  const fieldsOf = new Map<string, Set<string>>();
  for (const { response } of operations) {
    const first: EntryShape = response.entries ?? response;
    for (let shape: EntryShape | undefined = first; shape; shape = shape.base) {
      const { name = '', fields, types } = shape;
      const known = fieldsOf.get(name) ?? new Set();
      fieldsOf.set(name, known.add(JSON.stringify([fields, types])));
    }
  }
  fieldsOf.delete('');

  expect(fieldsOf.size).toBeGreaterThan(50);
  expect([...fieldsOf].filter(([, fields]) => fields.size > 1)).toEqual([]);
});
