import { read, write } from "../local";

/** The user's decision whether documents may go to the server for an evaluation. */
export type Permission = "undecided" | "granted" | "refused";

const permissionKey = "crdlab.server";

export function storedPermission(): Permission {
  const stored = read(permissionKey);
  return stored === "granted" || stored === "refused" ? stored : "undecided";
}

export function storePermission(permission: Permission): void {
  write(permissionKey, permission);
}
