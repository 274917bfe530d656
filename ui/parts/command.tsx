import { ActionIcon, CopyButton, Group } from '@mantine/core';

/** A command that does what the button beside it does, to be copied. */
export function CommandLine({ text }: { readonly text: string }) {
  return (
    <Group gap={4} wrap="nowrap" className="command">
      <code>{text}</code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            size="sm"
            color="gray"
            onClick={copy}
            aria-label={copied ? 'Copied' : `Copy ${text}`}
          >
            {copied ? '✓' : <CopyMark />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}

function CopyMark() {
  return (
    <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M5 5V2.5h8.5V11H11M2.5 5H11v8.5H2.5z"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
      />
    </svg>
  );
}
