import { type CrdOperation, crdOperations, isOneOf, type Operation, operations, replicasOf, type Scenario, validations } from "../scenario";
import { element, write } from "../dom";
import type { Session } from "../session";
import { isStacked, onColumns } from "./width";

/** Labels the first choice, which means the default operation. */
function automatic({ oldObject }: Scenario): string {
  return oldObject.trim() === "" ? "auto: create" : "auto: update";
}

/** Likewise for the CRD. */
function automaticForCrd({ oldCrd }: Scenario): string {
  return oldCrd.trim() === "" ? "auto: create" : "auto: update";
}

/** Binds the choices in the page's header that set the scenario's options. */
export function bindChoices(session: Session): void {
  const options = element("request-options", HTMLDetailsElement);
  const unfold = (): void => write(options, { open: !isStacked() });
  unfold();
  onColumns(unfold);
  const validation = element("validation", HTMLSelectElement);
  const operation = element("operation", HTMLSelectElement);
  const crdOperation = element("crd-operation", HTMLSelectElement);
  const crdManager = element("crd-field-manager", HTMLInputElement);
  const crdForce = element("crd-force", HTMLInputElement);
  const kubernetes = element("kubernetes", HTMLSelectElement);
  const manager = element("field-manager", HTMLInputElement);
  const force = element("force", HTMLInputElement);
  validation.addEventListener("change", () => {
    const { value } = validation;
    if (isOneOf(validations, value)) session.edit({ fieldValidation: value });
  });
  operation.addEventListener("change", () => {
    const { value } = operation;
    if (isOneOf(operations, value)) session.edit(changeTo(value));
  });
  crdOperation.addEventListener("change", () => {
    const { value } = crdOperation;
    if (isOneOf(crdOperations, value)) session.edit(changeCrdTo(value));
  });
  crdManager.addEventListener("input", () => session.edit({ crdFieldManager: crdManager.value }));
  crdForce.addEventListener("change", () => session.edit({ crdForce: crdForce.checked }));
  kubernetes.addEventListener("change", () => session.edit({ kubernetes: kubernetes.value }));
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const release = target.closest<HTMLElement>("[data-kubernetes]")?.dataset["kubernetes"];
    if (release !== undefined) session.edit({ kubernetes: release });
  });
  manager.addEventListener("input", () => session.edit({ fieldManager: manager.value }));
  force.addEventListener("change", () => session.edit({ force: force.checked }));
  const replicas = element("replicas", HTMLInputElement);
  replicas.addEventListener("input", () => session.edit({ replicas: replicasOf(replicas.value) }));
  const user = element("user", HTMLInputElement);
  const groups = element("groups", HTMLInputElement);
  user.addEventListener("input", () => session.edit({ user: user.value }));
  groups.addEventListener("input", () => session.edit({ groups: groups.value }));
  const show = ({ scenario }: { readonly scenario: Scenario }): void => {
    validation.value = scenario.fieldValidation;
    operation.value = scenario.operation;
    crdOperation.value = scenario.crdOperation;
    const firstOfCrd = crdOperation.options[0];
    if (firstOfCrd) write(firstOfCrd, { text: automaticForCrd(scenario) });
    if (crdManager.value !== scenario.crdFieldManager) crdManager.value = scenario.crdFieldManager;
    crdForce.checked = scenario.crdForce;
    write(element("crd-apply-options", HTMLElement), { hidden: scenario.crdOperation !== "apply" });
    kubernetes.value = scenario.kubernetes;
    const first = operation.options[0];
    if (first) write(first, { text: automatic(scenario) });
    if (manager.value !== scenario.fieldManager) manager.value = scenario.fieldManager;
    const request = scenario.operation || (scenario.oldObject.trim() === "" ? "create" : "update");
    const named = [...operation.options].find(({ value }) => value === request)?.dataset["manager"] ?? "";
    write(manager, { placeholder: named });
    write(element("manager-options", HTMLElement), { hidden: named === "" });
    force.checked = scenario.force;
    if (user.value !== scenario.user) user.value = scenario.user;
    if (groups.value !== scenario.groups) groups.value = scenario.groups;
    if (replicasOf(replicas.value) !== scenario.replicas) replicas.value = String(scenario.replicas);
    write(element("scale-options", HTMLElement), { hidden: scenario.operation !== "scale" });
    write(element("user-options", HTMLElement), { hidden: scenario.admission === "" });
    write(element("apply-options", HTMLElement), { hidden: !isApply(scenario.operation) });
  };
  show(session.state);
  session.subscribe((state, previous) => {
    if (state.scenario !== previous.scenario) show(state);
  });
}

function isApply(operation: Operation): boolean {
  return operation === "apply" || operation === "applyStatus";
}

/** Sets an operation and resets the options of other operations. */
function changeTo(operation: Operation): Partial<Scenario> {
  return {
    operation,
    ...(operation === "delete" ? { fieldManager: "" } : {}),
    ...(isApply(operation) ? {} : { force: false }),
    ...(operation === "scale" ? {} : { replicas: 0 }),
  };
}

/** Likewise for the CRD. */
function changeCrdTo(crdOperation: CrdOperation): Partial<Scenario> {
  return { crdOperation, ...(crdOperation === "apply" ? {} : { crdFieldManager: "", crdForce: false }) };
}
