import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  type Act as ActRow,
  findQuestion,
  type Given,
  type Subject,
  toCommandLine,
  toRequest,
} from '../../src/ops/lists/list.ts';
import { useChange, useIsOperator } from '../api/queries.ts';
import { Words } from './cell.tsx';
import { Question, useDialog } from './dialog.tsx';
import { useFocusAfter } from './page.tsx';

/** A request that an operator can send, and the button that asks whether to send it. */
interface ActOptions<Answer> {
  readonly act: ActRow<Answer>;
  readonly given?: Given;
  /** User or group that it is about. */
  readonly of?: Subject;
  readonly label: string;
  /** The button stands in a row of a list; `subject` names the row. */
  readonly subject?: string;
  /** Asks this instead of the question of the command. */
  readonly confirm?: ReactNode;
  /** Shows a secret of the answer, once. */
  readonly shown?: (answer: Answer) => ReactNode;
  readonly isMain?: boolean;
  readonly isDangerous?: boolean;
  readonly onDone?: (answer: Answer) => void;
}

/** A button, and the dialog that says what it does, does it, and tells what came of it. Readers do not get it. */
export function Act<Answer>(options: ActOptions<Answer>) {
  const { label, subject, isMain, isDangerous } = options;
  const { show } = useDialog();
  useFocusAfter();
  if (!useIsOperator()) return null;
  const title = subject === undefined ? label : `${label} ${subject}`;
  const color = isDangerous ? 'red' : 'indigo';
  return (
    <Button
      size={subject === undefined ? 'xs' : 'compact-xs'}
      aria-label={title}
      color={color}
      variant={isMain ? 'filled' : 'default'}
      onClick={() => show(<ActQuestion {...options} title={title} color={color} />)}
    >
      {label}
    </Button>
  );
}

function ActQuestion<Answer>({
  act,
  given = {},
  of,
  confirm,
  shown,
  onDone,
  ...look
}: ActOptions<Answer> & { readonly title: string; readonly color: string }) {
  const { mutate, data, isPending, error } = useChange<Answer>();
  const typed = of ? { resource: of.id, ...given } : given;
  return (
    <Question
      {...look}
      isPending={isPending}
      error={error}
      command={toCommandLine(act, typed)}
      run={() => mutate(toRequest(act, given, of), { onSuccess: (answer) => onDone?.(answer) })}
      isSecret={shown !== undefined}
      done={data && (shown?.(data) ?? <Words text={act.say(data, given)} />)}
    >
      {confirm ?? findQuestion(act, typed) ?? <Words text={act.summary} />}
    </Question>
  );
}

/** Buttons of a page; for a reader a sentence instead. */
export function Acts({ children }: { readonly children: ReactNode }) {
  if (useIsOperator()) return <Group gap="xs">{children}</Group>;
  return (
    <Text size="sm" c="dimmed">
      You are signed in as a reader. An operator can act here.
    </Text>
  );
}
