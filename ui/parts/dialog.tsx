import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { OpsError } from '../api/ask.ts';
import { useMe } from '../api/queries.ts';
import { CommandLine, focusPage } from './page.tsx';

const Place = createContext({ show: (_: ReactNode) => {}, close: () => {} });

/** Shows a dialog above the pages, or closes it. */
export const useDialog = () => useContext(Place);

/** Holds the dialog above the pages: the button that opened it may go while it asks, or because of what it did. */
export function Dialogs({ children }: { readonly children: ReactNode }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [dialog, setDialog] = useState<ReactNode>(null);
  const opener = useRef<Element>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address closes it.
  useEffect(() => setDialog(null), [path]);
  const show = (next: ReactNode) => {
    opener.current = document.activeElement;
    setDialog(next);
  };
  const close = () => {
    setDialog(null);
    requestAnimationFrame(() => focusAgain(opener.current));
  };
  return (
    <Place value={{ show, close }}>
      {children}
      {dialog}
    </Place>
  );
}

function focusAgain(opener: Element | null): void {
  if (opener instanceof HTMLButtonElement && opener.isConnected) opener.focus();
  else focusPage();
}

interface QuestionOptions {
  readonly title: string;
  readonly run: () => void;
  readonly label: string;
  readonly color?: string;
  /** Command that does the same. */
  readonly command: string;
  readonly isPending: boolean;
  readonly isReady?: boolean;
  readonly error: Error | null;
  /** What came of it: it takes the place of the question. */
  readonly done?: ReactNode;
  /** What came of it is shown once, and stays until a person says that it was copied. */
  readonly isSecret?: boolean;
  readonly children: ReactNode;
}

/** The dialog in which everything is asked that changes something. A field in it that is typed first is `data-autofocus`. */
export function Question({ title, done, isSecret = false, ...asked }: QuestionOptions) {
  const { close } = useDialog();
  const isKept = isSecret && Boolean(done);
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size="lg"
      returnFocus={false}
      // One banner is enough for a page.
      attributes={{ header: { role: 'none' } }}
      closeOnClickOutside={!isKept}
      closeOnEscape={!isKept}
      withCloseButton={!isKept}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {done ? (
        <Stack>
          <Text component="div" size="sm" role="status" className="lines">
            {done}
          </Text>
          <Group justify="flex-end">
            <Button onClick={close} autoFocus>
              {isSecret ? 'I have copied it' : 'Close'}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Asking {...asked} />
      )}
    </Modal>
  );
}

const SIGNED_OUT = new OpsError(401, {
  code: 'signed-out',
  message: 'The session is over. Close this, and sign in again.',
});

function Asking(options: Omit<QuestionOptions, 'title' | 'done' | 'isSecret'>) {
  const { run, label, color = 'indigo', command, isPending, isReady = true, children } = options;
  const { close } = useDialog();
  const isOver = useMe().data?.name === null;
  const error = isOver ? SIGNED_OUT : options.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <Stack>
        <Text component="div" size="sm">
          {children}
        </Text>
        {error && <Refusal key={error.message} error={error} />}
        <CommandLine text={command} />
        <Group justify="flex-end">
          {/* What changes something is never pressed by the key that opened the dialog. */}
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button type="submit" color={color} disabled={!isReady || isOver} loading={isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Says why something was not done, or that nobody knows whether it was; it takes the focus of the button, which waited. */
export function Refusal({ error }: { readonly error: Error }) {
  const isRefused = error instanceof OpsError;
  return (
    <Alert
      color="red"
      role="alert"
      title={isRefused ? 'Not done' : 'No answer'}
      tabIndex={-1}
      ref={(alert) => alert?.focus()}
    >
      {error.message}
      {!isRefused && ' It may have been done all the same; the page Acts tells.'}
    </Alert>
  );
}
