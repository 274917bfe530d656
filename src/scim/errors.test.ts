import { expect, test } from 'vitest';
import {
  conflict,
  invalidValue,
  notFound,
  ScimError,
  toScimErrorBody,
  unavailable,
} from './errors.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

test('the status of an error body is a string and scimType is there only when there is one', () => {
  expect(toScimErrorBody(notFound('User'))).toEqual({
    schemas: [ERROR],
    status: '404',
    detail: 'No User with this id exists.',
  });
  expect(toScimErrorBody(conflict('taken'))).toMatchObject({
    status: '409',
    scimType: 'uniqueness',
  });
});

test('an error keeps its cause and the time to wait', () => {
  const cause = new Error('why');
  expect(invalidValue('no', cause).cause).toBe(cause);
  expect(unavailable('later', 7)).toMatchObject({ status: 503, retryAfterSeconds: 7 });
  expect(new ScimError(500, 'broken')).not.toHaveProperty('cause');
});
