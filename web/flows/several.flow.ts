import { expect, test } from "./playground";
import { crd, object } from "./texts";

const backups = crd.replaceAll("crontabs", "backups").replaceAll("crontab", "backup").replaceAll("CronTab", "Backup");
const backup = (replicas: string): string => object(replicas).replace("CronTab", "Backup").replace("my-cron", "my-backup");

test("the verdict covers all CRDs of a document, and the worst leads", async ({ playground }) => {
  const { page } = playground;
  const brief = page.locator(".brief-line").first();
  await playground.open();
  await playground.paste("crd", `${crd}---\n${backups}`);
  await playground.paste("object", `${object("3")}---\n${backup("15")}`);
  await expect(brief).toHaveText(/Rejected\s+422 Invalid\s+1 of 2 objects accepted · 2 errors/);
  await expect(page.locator("#tab-object .count")).toHaveText(/^2/);
  await expect(playground.problems()).toHaveCount(2);
  await expect(page.locator("[data-editor=object] .cm-lintRange-error").last()).toHaveText("15");
  await expect(page.locator(".crd-list li")).toHaveText([/crontabs\S*\s+Accepted/, /backups\S*\s+Rejected/]);

  await playground.paste("object", `${object("3")}---\n${backup("4")}`);
  await expect(brief).toHaveText(/Accepted\s+2 objects/);
  await playground.paste("crd", `${crd}---\n${backups.replace("type: integer,", "type: number, nullable: 7,")}`);
  await expect(brief).toHaveText(/Rejected\s+\S* ?\w+\s+CRD backups/);
});

test("a further CRD of a name updates the one before it, and judges the objects", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", `${crd}---\n${crd.replace("maximum: 10", "maximum: 2")}`);
  await playground.paste("object", object("3"));
  const brief = page.locator(".brief-line").first();
  await expect(brief).toHaveText(/Rejected/);
  await playground.paste("crd", `${crd}---\n${crd.replace("maximum: 10", "maximum: 2").replace("Namespaced", "Cluster")}`);
  await expect(page.locator(".crd-list li")).toHaveText([/Accepted/, /Rejected/]);
  await expect(playground.problems()).toHaveText([/field is immutable/]);
});
