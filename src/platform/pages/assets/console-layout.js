/**
 * Plugin of Swagger UI with the layout of the console: the button to authorize, and the operations. The page has the
 * title, and the contract only one server.
 */
export function consoleLayout({ React: { createElement } }) {
  const Layout = ({ getComponent }) =>
    createElement(
      'div',
      { className: 'swagger-ui' },
      createElement(getComponent('SvgAssets')),
      ...['AuthorizeBtnContainer', 'operations'].map((name) =>
        createElement(getComponent(name, true), { key: name }),
      ),
    );
  const withFocusableCode = (Component) => (props) =>
    createElement('div', { ref: makeCodeFocusable }, createElement(Component, props));
  return {
    components: { ConsoleLayout: Layout },
    wrapComponents: {
      // A link within the button that opens the operation cannot be reached with a screen reader.
      DeepLink:
        () =>
        ({ text }) =>
          createElement('span', null, text),
      CloseIcon: (Icon) => (props) =>
        createElement('span', { role: 'img', 'aria-label': 'Close' }, createElement(Icon, props)),
      ExamplesSelect: (Select) => (props) =>
        createElement(
          'label',
          null,
          createElement('span', { className: 'unseen' }, 'Example'),
          createElement(Select, props),
        ),
      HighlightCode: withFocusableCode,
      curl: withFocusableCode,
      // The application is public, so it has no secret.
      InitializedInput: (Input) => (props) =>
        props['data-name'] === 'clientSecret' ? null : createElement(Input, props),
      // The focus would skip the sign-in above the field for a token.
      Input: (Input) => (props) => createElement(Input, { ...props, autoFocus: false }),
    },
  };
}

/** Long code scrolls, which the keyboard can do when it has the focus. */
function makeCodeFocusable(element) {
  for (const code of element?.querySelectorAll('pre') ?? []) code.tabIndex = 0;
}
