import { EditorView } from "@codemirror/view";

/**
 * Types over a selection without the browser's help, which would keep the
 * replaced text's look in a style attribute: the content policy forbids that
 * and reports it.
 */
export const replaceInput = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    const { state } = view;
    if (inputType !== "insertText" || isComposing || !data || state.readOnly) return false;
    if (state.selection.ranges.every((range) => range.empty)) return false;
    view.dispatch(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});
