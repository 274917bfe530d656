import { Link } from '@tanstack/react-router';

/** A user or group as a link to its page. */
export function SubjectLink({
  type = 'user',
  id,
  name,
}: {
  readonly type?: 'user' | 'group';
  readonly id: string;
  /** Null: it has none, and its id stands for it. */
  readonly name: string | null;
}) {
  return (
    <Link to={type === 'user' ? '/users/$id' : '/groups/$id'} params={{ id }}>
      {name ?? id}
    </Link>
  );
}
