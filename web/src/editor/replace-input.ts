import { EditorView } from "@codemirror/view";

/**
 * Replaces a selection with typed characters. The browser's own replacement copies
 * the old style into a style attribute, which the content security policy blocks
 * and reports.
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
