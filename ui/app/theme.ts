import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** The look of all pages. Sizes are one step smaller than Mantine's: these are pages of tables. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.1rem' } },
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'xs' } },
    // A name needs a role.
    Loader: { defaultProps: { role: 'status', 'aria-label': 'Loading' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: {
      defaultProps: {
        size: 'sm',
        allowDeselect: false,
        // Choices are made once somebody opens them: else each page makes and places those of all that are closed.
        comboboxProps: { keepMounted: false },
      },
    },
    Modal: { defaultProps: { centered: true } },
  },
});

/** Grey text that can be read on both grounds (4.5:1 and more). */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#59616a',
    '--mantine-color-placeholder': '#6a727b',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a5a9b0',
    '--mantine-color-placeholder': '#9aa0a6',
    '--mantine-color-error': '#ff8787',
  },
});
