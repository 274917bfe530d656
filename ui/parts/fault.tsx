import { Alert } from '@mantine/core';
import { OpsError } from '../api/ask.ts';

/** Tells that a page or a part of it could not be read. */
export function Fault({ error }: { readonly error: Error }) {
  const isOver = error instanceof OpsError && error.status === 401;
  return (
    <Alert
      color="red"
      variant="outline"
      role="alert"
      title={isOver ? 'Signed out' : 'This could not be read'}
    >
      {isOver ? 'The session is over. ' : error.message}
      {isOver && <a href="/console/">Sign in again</a>}
    </Alert>
  );
}
