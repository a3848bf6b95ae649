/** Finds the element with an id. Throws unless it has the type. */
export function element<T extends Element>(id: string, type: abstract new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return found;
}

/** Sets the properties of an element that differ. Browsers treat an equal value as a change, too. */
export function write<T extends Element>(target: T, properties: Partial<T>): void {
  for (const name of Object.keys(properties) as (keyof T)[]) {
    if (target[name] !== properties[name]) Object.assign(target, { [name]: properties[name] });
  }
}
